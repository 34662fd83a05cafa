/** A time for a person, whatever number it is. */

/** `ms` since the epoch as ISO 8601; beyond the years that have such a text, the number itself. */
export function isoTime(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? `${ms} ms (out of range)` : date.toISOString();
}
