/** How far threads are known: the order of events, what a cursor is, and how it stays small. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { JsonValue } from "@yoi/base";
import {
  beforeAllEvents,
  boundedCursor,
  cursorJson,
  cursorOf,
  cursorTicketsMax,
  isKnownSince,
  isLaterEvent,
} from "../../src/tickets/news-cursor.ts";

const idOf = (n: number) => `00001${n.toString().padStart(8, "0")}`;
const id = fc.oneof(
  fc.constant(beforeAllEvents),
  fc.integer({ min: 1, max: 999 }).map((n) => `@${n}`),
  fc.integer({ min: 0, max: 99_999_999 }).map(idOf),
);

test("events have one order: those that were written without an id by their number, before those that are times", () => {
  const order = [beforeAllEvents, "@1", "@2", "@10", "0000000000001", "00001ZZZZZZZZ"];
  for (const [n, a] of order.entries())
    for (const [m, b] of order.entries()) assert.equal(isLaterEvent(a, b), n > m, `${a} ${b}`);
  fc.assert(
    fc.property(id, id, id, (a, b, c) => {
      assert.equal(isLaterEvent(a, b) && isLaterEvent(b, a), false);
      assert.ok(a === b || isLaterEvent(a, b) || isLaterEvent(b, a));
      if (isLaterEvent(a, b) && isLaterEvent(b, c)) assert.ok(isLaterEvent(a, c));
    }),
    { seed: 9 },
  );
});

describe("what is no cursor is none", () => {
  const cases: readonly (readonly [string, JsonValue])[] = [
    ["null", null],
    ["a list", []],
    ["without since", { known: {} }],
    ["with more", { known: {}, since: null, more: 1 }],
    ["with a ticket that has no id", { known: { "../x": idOf(1) }, since: null }],
    ["with an event that has none", { known: { [idOf(1)]: "@0" }, since: null }],
    ["with a since that is none", { known: {}, since: "later" }],
    [
      "with too many tickets",
      {
        known: Object.fromEntries(Array.from({ length: cursorTicketsMax + 1 }, (_, n) => [idOf(n), idOf(n)])),
        since: null,
      },
    ],
  ];
  for (const [name, value] of cases) test(name, () => assert.equal(cursorOf(value), null));
});

test("a cursor is bounded without forgetting anything: what is not named is known, and only what is named can be news before", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 0, max: 9_999 }), { minLength: 0, maxLength: 40 }),
      fc.integer({ min: 0, max: 60 }),
      (events, extra) => {
        const base = Array.from({ length: cursorTicketsMax - 20 + extra }, (_, n) => [
          idOf(n),
          idOf(20_000 + n),
        ]);
        const known: Record<string, string> = Object.fromEntries([
          ...base,
          ...events.map((n) => [idOf(50_000 + n), idOf(n)]),
        ]);
        const first = new Set([idOf(50_000 + (events[0] ?? 0))]);
        const bounded = boundedCursor({ known, since: null }, first);
        assert.deepEqual(cursorOf(cursorJson(bounded)), bounded);
        for (const [ticket, event] of Object.entries(known)) {
          if (Object.hasOwn(bounded.known, ticket)) assert.equal(bounded.known[ticket], event);
          else assert.ok(isKnownSince(bounded, ticket, event));
        }
        for (const ticket of first)
          if (Object.hasOwn(known, ticket)) assert.equal(bounded.known[ticket], known[ticket]);
        // It says nothing of what comes later.
        assert.ok(!isKnownSince(bounded, idOf(90_000), idOf(99_999_999)));
        assert.deepEqual(boundedCursor(bounded), bounded);
      },
    ),
    { seed: 11, numRuns: 25 },
  );
});
