/** A reference to a file as it is typed in a prompt: `@path`, or `@"a path"` where it would end too early otherwise. */

/**
 * As `parsePrompt` reads it: in quotation marks, with a backslash before those of the path and before its backslashes, where it would not be all of the path without.
 * A path with a line break cannot be typed.
 */
export function fileRefText(path: string): string {
  const isBare = /^[^\s"]\S*$/.test(path) && withoutPunctuation(path) === path;
  return isBare ? `@${path}` : `@"${path.replace(/["\\]/g, "\\$&")}"`;
}

/** What stands between the quotation marks of a reference, as the path that it is. */
export function unquoted(text: string): string {
  return text.replace(/\\(["\\])/g, "$1");
}

const openings: { readonly [closing: string]: string } = { ")": "(", "]": "[", "}": "{", ">": "<" };

/** Without what ends a sentence or a bracket around the path; a bracket that the path opens itself, `.` and `..` are its own. */
export function withoutPunctuation(text: string): string {
  let path = text;
  for (;;) {
    const last = path.at(-1) ?? "";
    if (last === "." ? /(?:^|\/)\.{1,2}$/.test(path) : !isPunctuation(last, path)) return path;
    path = path.slice(0, -1);
  }
}

function isPunctuation(last: string, path: string): boolean {
  if (last === "") return false;
  const opening = openings[last];
  if (opening !== undefined) return path.split(last).length > path.split(opening).length;
  return ",;:!?'\"`*".includes(last);
}
