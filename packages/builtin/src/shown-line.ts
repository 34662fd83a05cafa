/** A text from elsewhere as one line that the model or a person reads. */
import { escapeControls } from "@yoi/base";

/** On one line, of at most so many UTF-16 units, and without the opening of a tag that the host uses for what it says itself. */
export function shownLine(text: string, charsMax: number): string {
  const line = escapeControls(text).replace(hostTag, "&lt;");
  if (line.length <= charsMax) return line;
  return `${line.slice(0, charsMax - 1).replace(halfCharacter, "")}…`;
}

/** Every line behind two spaces, so that none of them can pass for one of what it stands in. */
export function shownBlock(text: string): string {
  return escapeControls(text, "newline-tab")
    .replace(hostTag, "&lt;")
    .split("\n")
    .map((line) => (line === "" ? "" : `  ${line}`))
    .join("\n");
}

const hostTag = /<(?=[\s/]*(?:system-reminder|yoi-note))/gi;
const halfCharacter = /[\ud800-\udbff]$/;
