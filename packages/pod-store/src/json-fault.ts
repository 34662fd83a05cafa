/** Where a text stops being JSON: the byte offset that an error about a damaged file names. */

const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
/** A stretch of a string without quote, backslash and control characters; each is matched once, so that nothing backtracks. */
const plain = /[^"\\\u0000-\u001f]*/y;
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const space = /[ \t\n\r]*/y;

type Want = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end" | "nothing";

/**
 * The index (UTF-16) in `source` of the first token that no JSON document has there, or `source.length` when it ends too early.
 * Only called on text that `JSON.parse` refused; it does not nest calls, so depth is no limit.
 */
export function jsonFaultIndex(source: string): number {
  /** The closers still owed, innermost last. */
  const open: ("}" | "]")[] = [];
  let at = 0;
  let want: Want = "value";
  const match = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(source)) return false;
    at = pattern.lastIndex;
    return true;
  };
  const matchText = (): boolean => {
    if (source[at] !== '"') return false;
    at += 1;
    do match(plain);
    while (match(escape));
    if (source[at] !== '"') return false;
    at += 1;
    return true;
  };
  const afterValue = (): Want => (open.length === 0 ? "nothing" : "comma-or-end");
  for (;;) {
    match(space);
    const c = source[at];
    if (c === undefined) return source.length;
    if ((want === "value-or-end" || want === "key-or-end" || want === "comma-or-end") && c === open.at(-1)) {
      open.pop();
      at += 1;
      want = afterValue();
    } else if (want === "comma-or-end" && c === ",") {
      at += 1;
      want = open.at(-1) === "}" ? "key" : "value";
    } else if (want === "colon" && c === ":") {
      at += 1;
      want = "value";
    } else if (want === "key" || want === "key-or-end") {
      if (!matchText()) return at;
      want = "colon";
    } else if (want === "value" || want === "value-or-end") {
      if (c === "{" || c === "[") {
        at += 1;
        open.push(c === "{" ? "}" : "]");
        want = c === "{" ? "key-or-end" : "value-or-end";
      } else if (matchText() || match(scalar)) want = afterValue();
      else return at;
    } else return at;
  }
}
