/** The limits of the wire: lines, events, responses and quoted words at n and n + 1; Retry-After in both its forms. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { apiFailure, networkFailure, quote, quotedBytesMax, type Endpoint } from "../../src/failure.ts";
import { askedWaitMs, retryAfterMsMax } from "../../src/wire/reset-time.ts";
import { StreamGuard, streamLimits } from "../../src/wire/stream-guard.ts";

const limits = { lineBytesMax: 10, eventBytesMax: 16, responseBytesMax: 64 };

/** The first thing over a limit, with the text fed in pieces of `size` bytes. */
function over(text: string, size: number): string | null {
  const guard = new StreamGuard(limits);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    const seen = guard.take(bytes.subarray(at, at + size));
    if (seen !== null && seen !== "comment") return seen.over;
  }
  return null;
}

test("a line, an event and a response at their limit pass, one byte more does not, however the bytes are split", () => {
  const rows: readonly [string, string | null][] = [
    [`${"x".repeat(10)}\n`, null],
    ["x".repeat(10), null],
    [`${"x".repeat(11)}\n`, "a line over 10 bytes"],
    ["x".repeat(11), "a line over 10 bytes"],
    [`${"x".repeat(8)}\n${"x".repeat(8)}\n\n${"x".repeat(8)}\n`, null],
    [`${"x".repeat(8)}\r\n${"x".repeat(5)}\r\n\r\n${"x".repeat(8)}\n`, null],
    [`${"x".repeat(8)}\n${"x".repeat(9)}\n`, "an event over 16 bytes"],
    ["x\n\n".repeat(21), null],
    ["x\n\n".repeat(22), "a response over 64 bytes"],
  ];
  for (const [text, expected] of rows)
    for (const size of [1, 2, 3, 7, 1000]) assert.equal(over(text, size), expected, text);
});

test("the limits in force", () => {
  assert.deepEqual(streamLimits, {
    lineBytesMax: 4_194_304,
    eventBytesMax: 8_388_608,
    responseBytesMax: 67_108_864,
  });
});

test("a comment line is noticed when it ends, a field is not one", () => {
  const guard = new StreamGuard(limits);
  const taken = [": x", "\n", "\n", "a: b\n", "\n", ":\n"].map((text) => guard.take(Buffer.from(text)));
  assert.deepEqual(taken, [null, "comment", null, null, null, "comment"]);
});

test("Retry-After in seconds and as an HTTP date", () => {
  const now = Date.UTC(2026, 0, 1);
  const rows: readonly [string | undefined, number | undefined][] = [
    [undefined, undefined],
    ["0", 0],
    [" 7 ", 7000],
    ["1.5", 1500],
    ["Thu, 01 Jan 2026 00:01:00 GMT", 60_000],
    ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
    ["-1", undefined],
    ["soon", undefined],
    [String(retryAfterMsMax / 1000), retryAfterMsMax],
    [String(retryAfterMsMax / 1000 + 1), retryAfterMsMax],
    ["9000000000000", retryAfterMsMax],
    ["9".repeat(40), retryAfterMsMax],
    ["9".repeat(400), retryAfterMsMax],
    ["Fri, 01 Jan 2027 00:00:00 GMT", retryAfterMsMax],
    ["Fri, 01 Jan 2027 00:00:01 GMT", retryAfterMsMax],
    ["Thu, 31 Dec 9999 23:59:59 GMT", retryAfterMsMax],
    ["", undefined],
  ];
  for (const [value, expected] of rows) {
    const waitMs = askedWaitMs({ "retry-after": value }, now);
    assert.equal(waitMs, expected, value);
    assert.doesNotThrow(() => new Date(now + (waitMs ?? 0)).toISOString(), value);
  }
});

const endpoint: Endpoint = {
  label: "Anthropic",
  host: "api.example",
  model: "m",
  keyVariable: "ANTHROPIC_API_KEY",
  baseUrlVariable: "ANTHROPIC_BASE_URL",
  secret: "sk-secret",
};

test("foreign words are quoted on one line, bounded, harmless and without the key", () => {
  assert.equal(quote(endpoint, " a\n b sk-secret. "), "a b [key]");
  assert.equal(quote(endpoint, "\u001b[31mred"), "\\u001b[31mred");
  assert.equal(quote(endpoint, "x".repeat(quotedBytesMax)), "x".repeat(quotedBytesMax));
  assert.equal(quote(endpoint, "x".repeat(quotedBytesMax + 1)), `${"x".repeat(quotedBytesMax)}...`);
  assert.equal(quote({ ...endpoint, secret: "" }, "a"), "a");
});

test("property: whatever a provider or the network says, the failure is one sentence without the key", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.option(fc.integer({ min: 100, max: 599 }), { nil: undefined }),
      fc.string(),
      (words, status, type) => {
        const message = `${words}sk-secret${words}`;
        const failures = [
          apiFailure(endpoint, { status, names: [type], message, headers: {} }, 0),
          networkFailure(endpoint, Object.assign(new Error(message), { code: type })),
          networkFailure(endpoint, message),
        ];
        for (const failure of failures) {
          assert.ok(!failure.message.includes("sk-secret"), failure.message);
          assert.match(failure.message, /^Anthropic at api\.example [^\n\r]+\.$/);
        }
      },
    ),
    { seed: 20260103, numRuns: 300 },
  );
});
