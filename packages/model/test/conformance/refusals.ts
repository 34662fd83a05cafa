/** Conformance: a provider that refuses before it answers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FailureKind } from "@yoi/model";
import type { Answer } from "../../../../test/support/provider-answer.ts";
import { checks, hello, plain, type Adapter } from "./adapter.ts";
import { failureOf, read } from "../support.ts";

export function refusalsConformance(adapter: Adapter): void {
  const check = checks(adapter);
  test(`${adapter.name}: refusals before the first event`, async () => {
    const date = "Thu, 01 Jan 2026 00:00:30 GMT";
    type Row = readonly [number, FailureKind | null, string, FailureKind, boolean, number?, string?];
    const rows: readonly Row[] = [
      [400, "invalid_request", "tools.0: bad", "invalid_request", false],
      [
        400,
        "invalid_request",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "context_overflow",
        false,
      ],
      [400, "context_overflow", "This model's maximum context length is 8 tokens", "context_overflow", false],
      [401, "auth", `invalid x-api-key ${adapter.key}`, "auth", false],
      [402, "auth", "no credit", "auth", false],
      [403, "auth", "not yours", "auth", false],
      [404, "not_found", "model: x", "not_found", false],
      [408, "timeout", "slow", "timeout", true],
      [413, "context_overflow", "too large", "context_overflow", false],
      [425, null, "too early", "rate_limit", true],
      [429, "rate_limit", "slow down", "rate_limit", true],
      [429, "rate_limit", "slow down", "rate_limit", true, 7000, "7"],
      [429, "rate_limit", "slow down", "rate_limit", true, 30_000, date],
      [500, "server", "oops", "server", true],
      [501, "server", "never", "server", false],
      [502, null, "bad gateway", "server", true],
      [503, null, "away", "overloaded", true],
      [504, "timeout", "slow", "timeout", true],
      [529, "overloaded", "Overloaded", "overloaded", true, 2500, "2.5"],
    ];
    const answers = rows.map(([status, named, message, , , , retryAfter]) =>
      adapter.refusal(status, named, message, retryAfter === undefined ? {} : { "retry-after": retryAfter }),
    );
    await adapter.bench(answers, async ({ model, requests }) => {
      for (const [status, , , kind, retryable, retryAfterMs] of rows) {
        const failure = failureOf(await read(model, hello));
        const { message, ...rest } = failure;
        assert.deepEqual(rest, {
          kind,
          retryable,
          status,
          ...(retryAfterMs !== undefined && { retryAfterMs }),
        });
        assert.match(message, /^[^\n]+ at 127\.0\.0\.1:\d+ [^\n]+; [^\n]+\.$/);
        assert.ok(!message.includes(adapter.key), message);
      }
      assert.equal(requests.length, rows.length);
    });
  });

  test(`${adapter.name}: the reset of a limit stands for Retry-After, and only where a limit refused`, async () => {
    type Row = readonly [number, FailureKind, Record<string, string>, number?];
    const anthropic = (limit: string, remaining: string, reset: string) => ({
      [`anthropic-ratelimit-${limit}-remaining`]: remaining,
      [`anthropic-ratelimit-${limit}-reset`]: reset,
    });
    const rows: readonly Row[] = [
      [
        429,
        "rate_limit",
        {
          ...anthropic("requests", "49", "2026-01-01T00:00:01Z"),
          ...anthropic("input-tokens", "0", "2026-01-01T02:00:00Z"),
        },
        7_200_000,
      ],
      [429, "rate_limit", { "anthropic-ratelimit-unified-reset": "1767229200" }, 3_600_000],
      [
        429,
        "rate_limit",
        {
          "x-ratelimit-remaining-requests": "0",
          "x-ratelimit-reset-requests": "6m0s",
          "x-ratelimit-remaining-tokens": "149000",
          "x-ratelimit-reset-tokens": "1h20m0.5s",
        },
        360_000,
      ],
      [429, "rate_limit", { "retry-after-ms": "1250", "retry-after": "2" }, 1250],
      [429, "rate_limit", { "retry-after": "7", "x-ratelimit-reset-requests": "6m0s" }, 7000],
      [429, "rate_limit", { "x-ratelimit-reset": "1767225660000" }, 60_000],
      [429, "rate_limit", { "ratelimit-reset": "50" }, 50_000],
      [500, "server", { "x-ratelimit-reset-requests": "6m0s" }],
      // It has capacity again at no time that its limits know.
      [529, "overloaded", { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s" }],
      [529, "overloaded", { "retry-after": "7", "x-ratelimit-reset-requests": "6m0s" }, 7000],
      [429, "rate_limit", { "x-ratelimit-remaining-requests": "49", "x-ratelimit-reset-requests": "5h" }],
    ];
    const answers = rows.map(([status, kind, headers]) => adapter.refusal(status, kind, "no", headers));
    await adapter.bench(answers, async ({ model }) => {
      for (const [status, kind, headers, expected] of rows) {
        const failure = failureOf(await read(model, hello));
        const told = [failure.status, failure.kind, failure.retryAfterMs];
        assert.deepEqual(told, [status, kind, expected], JSON.stringify(headers));
      }
    });
  });

  test(`${adapter.name}: a redirect is refused and the key goes nowhere else`, async () => {
    await adapter.bench([plain], async (other) => {
      const to = `${other.url}/v1/messages`;
      const redirects = [301, 302, 303, 307, 308].map((status): Answer => ({
        status,
        headers: { location: to },
      }));
      await adapter.bench([...redirects, ...redirects.slice(-1)], async ({ model, requests, url }) => {
        for (const _ of redirects) {
          const { kind, retryable, message } = failureOf(await read(model, hello));
          assert.deepEqual({ kind, retryable }, { kind: "invalid_request", retryable: false });
          assert.ok(message.includes(`redirects to ${to}, which yoi does not follow`), message);
        }
        assert.equal(requests.length, redirects.length);
        assert.equal(other.requests.length, 0);
        // Control: what follows redirects by default carries the key to the other server.
        await fetch(url, { method: "POST", body: "{}", headers: { "x-api-key": adapter.key } });
        assert.equal(other.requests[0]?.headers["x-api-key"], adapter.key);
      });
    });
  });

  check(
    "a page that is no event stream is not read as one",
    [{ status: 200, headers: { "content-type": "text/html" }, body: "<html>" }],
    async ({ model }) => {
      const failure = failureOf(await read(model, hello));
      assert.equal(failure.kind, "invalid_request");
      assert.match(failure.message, /answered with text\/html instead of an event stream/);
    },
  );

  check(
    "a connection that is reset before any answer is a network failure",
    ["hang_up"],
    async ({ model }) => {
      const { kind, retryable } = failureOf(await read(model, hello));
      assert.deepEqual({ kind, retryable }, { kind: "network", retryable: true });
    },
  );
}
