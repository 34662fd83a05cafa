/** Times as they stand in a ticket's files. */

const pattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

/** Of ISO 8601 in UTC, in Unix milliseconds; null: it is no such time. */
export function msOfTime(text: string): number | null {
  const ms = pattern.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}
