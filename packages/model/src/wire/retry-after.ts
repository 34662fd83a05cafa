/** Retry-After: how long a provider asks to be left alone. */

/** A year. A longer wait is no answer to when, and would be no date once it is added to the time of day. */
export const retryAfterMsMax = 365 * 24 * 60 * 60 * 1000;

/** The header's value, seconds or an HTTP date, in whole milliseconds from `nowMs`, from 0 to `retryAfterMsMax`; undefined when it is neither. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) {
    return Math.min(Math.ceil(Number(text) * 1000), retryAfterMsMax);
  }
  if (!/^[A-Za-z]{3}/.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - nowMs), retryAfterMsMax);
}
