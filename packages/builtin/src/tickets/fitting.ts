/** How much of a list has room. */
import { cutUtf8, type JsonValue, utf8Length } from "@yoi/base";

/** How many of the first values have at most so many UTF-8 bytes together, as JSON. */
export function fitting(values: readonly JsonValue[], bytesMax: number): number {
  let left = bytesMax;
  const over = values.findIndex((value) => (left -= utf8Length(JSON.stringify(value)) + 1) < 0);
  return over === -1 ? values.length : over;
}

/** A text of at most so many UTF-8 bytes, also as JSON, and how many it had where it was cut. */
export function cutText(
  text: string,
  bytesMax: number,
): { readonly text: string; readonly bytes: number | null } {
  const bytes = utf8Length(text);
  let cut = cutUtf8(text, bytesMax);
  for (;;) {
    const written = utf8Length(JSON.stringify(cut)) - 2;
    if (written <= bytesMax) return { text: cut, bytes: cut === text ? null : bytes };
    cut = cutUtf8(cut, Math.floor((utf8Length(cut) * bytesMax) / written));
  }
}
