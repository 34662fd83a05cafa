/** What a hook says, as it may be shown and recorded: bounded, on one line, without known secrets. */
import { escapeControls, messageOf } from "@yoi/base";

/** Characters (UTF-16) of a reason, a message or a failure. */
export const saidCharsMax = 512;
/** No more of a text is looked at: what would be cut off anyway costs nothing. */
const readCharsMax = 16 * saidCharsMax;

export function boundedText(text: string, redact: (text: string) => string): string {
  const clean = escapeControls(redact(text.slice(0, readCharsMax))).toWellFormed();
  if (clean.length <= saidCharsMax) return clean;
  // Not in the middle of a character.
  return `${clean.slice(0, saidCharsMax - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** The text of whatever was thrown, also of what throws when it is looked at. */
export function thrownText(thrown: unknown): string {
  try {
    const text: unknown = messageOf(thrown);
    return typeof text === "string" ? text : unprintable;
  } catch {
    return unprintable;
  }
}
const unprintable = "an unprintable value was thrown";
