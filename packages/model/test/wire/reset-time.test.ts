/** Reset times in every form that is sent, and which of several counts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  askedWaitMs,
  limitWaitMs,
  parseReset,
  type ReadHeaders,
  retryAfterMsMax,
} from "../../src/wire/reset-time.ts";

const nowMs = Date.UTC(2026, 0, 1);

test("a reset is a duration, seconds, a time of day or a date; nothing else is one", () => {
  const rows: readonly [string | undefined, number | undefined][] = [
    [undefined, undefined],
    ["", undefined],
    ["soon", undefined],
    ["-1", undefined],
    ["1x", undefined],
    ["m", undefined],
    ["6m0s", 360_000],
    ["20ms", 20],
    ["0.2ms", 1],
    ["1.5s", 1500],
    ["1d2h3m4s5ms", 93_784_005],
    ["0", 0],
    ["59", 59_000],
    ["999999999", retryAfterMsMax],
    [String(nowMs / 1000 + 90), 90_000],
    [String(nowMs + 90), 90],
    [String(nowMs - 90), 0],
    ["1000000000", 0],
    ["1000000000000", 0],
    ["2026-01-01T00:01:00Z", 60_000],
    ["2025-12-31T00:00:00Z", 0],
    ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
    ["2026-13-41T00:00:00Z", undefined],
    ["9".repeat(400), retryAfterMsMax],
    [`${"9".repeat(400)}d`, retryAfterMsMax],
  ];
  for (const [value, expected] of rows) assert.equal(parseReset(value, nowMs), expected, value);
});

test("what is asked for counts before resets, used-up limits before others, the last of those, the first of the others", () => {
  const limit = (name: string, remaining: string | null, reset: string): ReadHeaders => ({
    [`x-ratelimit-reset-${name}`]: reset,
    ...(remaining === null ? {} : { [`x-ratelimit-remaining-${name}`]: remaining }),
  });
  const rows: readonly [ReadHeaders, number | undefined][] = [
    [{}, undefined],
    [{ "x-request-id": "1", "x-ratelimit-limit-requests": "9" }, undefined],
    [{ "retry-after": "soon", ...limit("a", null, "3s") }, 3000],
    [{ "retry-after-ms": "much", "retry-after": "4" }, 4000],
    [{ ...limit("a", "0", "3s"), ...limit("b", "0", "9s"), ...limit("c", "5", "60s") }, 9000],
    [{ ...limit("a", "7", "3s"), ...limit("b", null, "9s"), ...limit("c", null, "10s") }, 9000],
    [{ ...limit("a", "7", "3s"), ...limit("b", "0", "later") }, undefined],
    [limit("a", "1", "5h"), undefined],
    [{ "my-ratelimit-reset": "3s", "x-ratelimit-resets": "4s" }, undefined],
  ];
  for (const [headers, expected] of rows)
    assert.equal(limitWaitMs(headers, nowMs), expected, JSON.stringify(headers));
});

test("Retry-After that says a time of day in seconds is that time, not as many seconds", () => {
  assert.equal(askedWaitMs({ "retry-after": String(nowMs / 1000 + 60) }, nowMs), 60_000);
});
