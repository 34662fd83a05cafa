/** One JSON object as one line that every reader takes for one: some of them end lines at more than LF. */

/** LF at the end and nowhere else, and no NEL, U+2028 or U+2029 as it stands. */
export function jsonLine(object: object): string {
  const text = JSON.stringify(object).replace(
    /[\u0085\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${text}\n`;
}
