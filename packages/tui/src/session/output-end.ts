/** The end of a live output: a view shows its last rows, and its record replaces it. */

/** Characters that are kept of what a call or a command writes while it runs. */
export const outputCharsMax = 16_384;

export function outputEnd(text: string): string {
  if (text.length <= outputCharsMax) return text;
  const end = text.slice(-outputCharsMax);
  // Not from the middle of a character on.
  return /^[\udc00-\udfff]/.test(end) ? end.slice(1) : end;
}
