/** Text of features for people: bounded, without known secrets, and nothing in it that could disturb a terminal. */
import { escapeControls, messageOf } from "@yoi/base";

/** Characters (code points) of a diagnostic, an alert or an error's message. */
export const messageCharactersMax = 512;

/** Code units that are looked at: no text is worth more of the host's time. */
const lookedAtMax = 64 * 1024;

export interface BoundedTextOptions {
  /** Takes known secrets out. */
  readonly redact: (text: string) => string;
}

/** Of anything that a feature says or throws; never throws. A text that is cut ends with "…". */
export function boundedText(said: unknown, { redact }: BoundedTextOptions): string {
  const looked = textOf(said).slice(0, lookedAtMax).toWellFormed();
  return cutCharacters(escapeControls(redact(looked)), messageCharactersMax);
}

/** What was thrown may be anything: also an object whose properties throw. */
function textOf(said: unknown): string {
  try {
    const text: unknown = messageOf(said);
    if (typeof text === "string") return text;
  } catch {
    // As with what is no text.
  }
  return "something that is no text";
}

function cutCharacters(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const characters = [...text];
  if (characters.length <= charactersMax) return text;
  return `${characters.slice(0, charactersMax - 1).join("")}…`;
}
