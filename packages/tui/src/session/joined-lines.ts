/** joinedLines: a text of several lines as one. */

/** Blank lines, and the spaces around line ends, are left out; a text of one line stays as it is. */
export function joinedLines(text: string): string {
  if (!text.includes("\n")) return text;
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
}
