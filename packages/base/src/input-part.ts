/** What a user submits, in typed pieces. */

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** Open for file, paste and image parts, each with the issue that resolves them. */
export type InputPart = TextPart;

/** The text of an input as the model reads it. */
export function flattenInput(parts: readonly InputPart[]): string {
  return parts.map((part) => part.text).join("");
}
