/** Bodies as lines: how the text of an item or of an event is kept, whatever the ends of its lines were. */

const blank = /^[ \t]*$/;

/**
 * A body as it is stored and handed out: lines end in LF, no blank lines around, well-formed. What UTF-8 has no bytes for (a lone surrogate), and
 * NUL, which would make the file a binary one to git, become U+FFFD.
 */
export function normalizeBody(text: string): string {
  const lines = text
    .replaceAll("\0", "\ufffd")
    .toWellFormed()
    .split(/\r\n?|\n/);
  return trimBlank(lines).join("\n");
}

export function splitLines(text: string): string[] {
  return text.split(/\r?\n/);
}

/** Without the blank lines at both ends. */
export function trimBlank(lines: readonly string[]): readonly string[] {
  let start = 0;
  let end = lines.length;
  while (start < end && isBlank(lines[start])) start += 1;
  while (end > start && isBlank(lines[end - 1])) end -= 1;
  return lines.slice(start, end);
}

export function isBlank(line: string | undefined): boolean {
  return line !== undefined && blank.test(line);
}
