/** The text of what a module threw. Reading that can run the module's code, and can throw again. */
import { messageOf } from "@yoi/base";

/** Characters that are kept: more than a diagnostic shows. */
export const thrownTextCharsMax = 2048;

export function thrownText(thrown: unknown): string {
  try {
    const text: unknown = messageOf(thrown);
    if (typeof text === "string" && text.trim() !== "") return text.slice(0, thrownTextCharsMax);
  } catch {
    // Its getters throw: there is nothing to say of it.
  }
  return "something without a message was thrown";
}
