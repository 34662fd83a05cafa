/** Times as they stand in a ticket's files. */

const pattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

const secondsChars = "2026-06-03T12:23:17".length;

/** Of ISO 8601 in UTC, in Unix milliseconds; null: it is no such time, or there is no such day. */
export function msOfTime(text: string): number | null {
  const ms = pattern.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) return null;
  // Date takes the 30th of February for the 2nd of March, and 24:00 for the next day.
  return new Date(ms).toISOString().slice(0, secondsChars) === text.slice(0, secondsChars) ? ms : null;
}
