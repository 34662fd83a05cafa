/** Reset times: what the headers of a refused request say of when the limits that refused it are lifted. */

/** A year. A longer wait is no answer to when, and would be no date once it is added to the time of day. */
export const retryAfterMsMax = 365 * 24 * 60 * 60 * 1000;

export type ReadHeaders = { readonly [name: string]: string | undefined };

/** Numbers from here on are a time of day: in seconds since the epoch (the year 2001), or in milliseconds (the same year). */
const epochSecondsMin = 1e9;
const epochMsMin = 1e12;

const resetName = /^(?:x-|anthropic-)?ratelimit-(?:.+-)?reset(?:-.+)?$/;
const unitsMs: { readonly [unit: string]: number } = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
};

/**
 * How long the provider asks to be left alone, in whole milliseconds from `nowMs`, at most `retryAfterMsMax`; undefined: it does not say. Retry-After says it best. Else it is the
 * last reset of those limits of which nothing remains; where no limit says so, the first one of those that do not say what remains: whoever comes too early is refused again.
 */
export function limitWaitMs(headers: ReadHeaders, nowMs: number): number | undefined {
  const asked = askedWaitMs(headers, nowMs);
  if (asked !== undefined) return asked;
  const resets = Object.entries(headers).flatMap(([name, value]) => {
    const waitMs = resetName.test(name) ? parseReset(value, nowMs) : undefined;
    const remaining = Number(headers[name.replace("reset", "remaining")] ?? Number.NaN);
    return waitMs === undefined || remaining > 0 ? [] : [{ waitMs, isUsedUp: remaining <= 0 }];
  });
  const usedUp = resets.filter((reset) => reset.isUsedUp);
  const waits = (usedUp.length > 0 ? usedUp : resets).map(({ waitMs }) => waitMs);
  if (waits.length === 0) return undefined;
  return usedUp.length > 0 ? Math.max(...waits) : Math.min(...waits);
}

/** What Retry-After says, or its form in milliseconds, which some servers send beside it. */
export function askedWaitMs(headers: ReadHeaders, nowMs: number): number | undefined {
  const exact = headers["retry-after-ms"]?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(exact)) return Math.min(Math.ceil(Number(exact)), retryAfterMsMax);
  return parseReset(headers["retry-after"], nowMs);
}

/** From 0 to `retryAfterMsMax`, of `6m0s`, `20ms`, seconds from now, a time of day in seconds or milliseconds since the epoch, or a date; undefined: it is none of them. */
export function parseReset(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? "";
  const bounded = (ms: number): number => Math.min(Math.max(0, Math.ceil(ms)), retryAfterMsMax);
  if (/^\d+(\.\d+)?$/.test(text)) {
    const number = Number(text);
    if (number >= epochMsMin) return bounded(number - nowMs);
    return bounded(number >= epochSecondsMin ? number * 1000 - nowMs : number * 1000);
  }
  if (/^(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/.test(text)) {
    const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/g)];
    return bounded(
      parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitsMs[unit ?? ""] ?? 0), 0),
    );
  }
  if (!/^(?:\d{4}-\d\d-\d\dT|[A-Za-z]{3})/.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : bounded(date - nowMs);
}
