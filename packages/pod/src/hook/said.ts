/** Whatever a feature says or throws, as it may be shown and recorded: bounded, on one line, without known secrets. */
import { escapeControls, messageOf } from "@yoi/base";

/** Characters (UTF-16) of a reason, a message or a failure. */
export const saidCharsMax = 512;
/** No more of a text is looked at: what would be cut off anyway costs nothing. */
const readCharsMax = 16 * saidCharsMax;

export interface BoundedTextOptions {
  /** Takes known secrets out. */
  readonly redact: (text: string) => string;
}

/** Never throws, whatever it is given. */
export function boundedText(said: unknown, { redact }: BoundedTextOptions): string {
  const clean = escapeControls(redact(messageOf(said).slice(0, readCharsMax))).toWellFormed();
  return clean.length <= saidCharsMax ? clean : `${firstChars(clean, saidCharsMax - 1)}…`;
}

/** The first `charsMax` UTF-16 units, never half a character. */
export function firstChars(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : text.slice(0, charsMax).replace(/[\ud800-\udbff]$/, "");
}

/** The last `charsMax` UTF-16 units, never half a character. */
export function lastChars(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const kept = text.slice(text.length - charsMax);
  return isLowSurrogate(kept.charCodeAt(0)) ? kept.slice(1) : kept;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
