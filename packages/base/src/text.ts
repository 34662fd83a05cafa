/** Text bounds in bytes, cut where a character ends. */

const encoder = new TextEncoder();

export function utf8Length(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** The longest prefix of `text` that is at most `bytesMax` bytes of UTF-8 and ends at a character boundary. */
export function cutUtf8(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text;
  if (bytesMax <= 0) return "";
  const { read } = encoder.encodeInto(text, new Uint8Array(bytesMax));
  return text.slice(0, read);
}

/** `text` with every character that could forge or disturb a terminal line shown as an escape. Newline and tab stay when asked. */
export function escapeControls(text: string, keep: "none" | "newline-tab" = "none"): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (c) => {
      if (keep === "newline-tab" && (c === "\n" || c === "\t")) return c;
      return `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;
    },
  );
}
