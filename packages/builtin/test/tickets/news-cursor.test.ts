/** How far threads are known: what a cursor is, and how it stays small. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type JsonValue, utf8Length } from "@yoi/base";
import { positionBytesMax } from "../../../pod/src/feature/sinks/notification-sink.ts";
import {
  boundedCursor,
  cursorBehind,
  cursorJson,
  cursorOf,
  cursorTicketsMax,
} from "../../src/tickets/news-cursor.ts";

const idOf = (n: number) => `00001${n.toString().padStart(8, "0")}`;
const markAt = (ms: number) => `${ms}.1.${"a".repeat(12)}`;
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [idOf(n), markAt(n)]));

describe("what is no cursor is none", () => {
  const cases: readonly (readonly [string, JsonValue])[] = [
    ["null", null],
    ["a list", []],
    ["without since_ms", { known: {} }],
    ["with a list of what is known", { known: [], since_ms: null }],
    ["with a since_ms that is none", { known: {}, since_ms: "later" }],
    ["with a since_ms before all times", { known: {}, since_ms: -1 }],
    ["with too many tickets", { known: many(cursorTicketsMax + 1), since_ms: null }],
  ];
  for (const [name, value] of cases) test(name, () => assert.equal(cursorOf(value), null));
});

test("what one entry says spoils no other: a name that is no ticket's is left out, a mark that is none stays one", () => {
  const known = {
    "../x": markAt(1),
    [idOf(1)]: markAt(1),
    [idOf(2)]: 7,
    [idOf(3)]: "note-1",
    [idOf(4)]: "x".repeat(90),
  };
  assert.deepEqual(cursorOf({ known, since_ms: 5, more: 1 }), {
    known: { [idOf(1)]: markAt(1), [idOf(2)]: "", [idOf(3)]: "note-1", [idOf(4)]: "x".repeat(37) },
    sinceMs: 5,
  });
});

test("a cursor of the most tickets with the longest marks has room where positions are kept", () => {
  const longest = `${8_640_000_000_000_000}.9999999.${"a".repeat(12)}`;
  const known = Object.fromEntries(Object.keys(many(cursorTicketsMax)).map((id) => [id, longest]));
  assert.ok(
    utf8Length(JSON.stringify(cursorJson({ known, sinceMs: 8_640_000_000_000_000 }))) <= positionBytesMax,
  );
});

test("with one ticket more, the one that was quiet for longest is known by its time, with all before it", () => {
  const full = { known: many(cursorTicketsMax), sinceMs: null };
  assert.deepEqual(cursorBehind(full, [{ ticket: idOf(3), mark: markAt(9_000) }]), {
    known: { ...full.known, [idOf(3)]: markAt(9_000) },
    sinceMs: null,
  });
  const { [idOf(0)]: _oldest, ...others } = full.known;
  const more = cursorBehind(full, [{ ticket: idOf(9_000), mark: markAt(9_000) }]);
  assert.deepEqual(more, { known: { ...others, [idOf(9_000)]: markAt(9_000) }, sinceMs: 0 });
});

test("a cursor is bounded without forgetting anything: what is not named is known up to its time, which never goes back", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 0, max: 9_999 }), { minLength: 0, maxLength: 40 }),
      fc.integer({ min: 0, max: 60 }),
      fc.option(fc.integer({ min: 0, max: 9_999 })),
      (times, extra, sinceMs) => {
        const known: Record<string, string> = {
          ...many(cursorTicketsMax - 20 + extra),
          ...Object.fromEntries(times.map((ms) => [idOf(50_000 + ms), markAt(ms)])),
        };
        const first = new Set(times.slice(0, 1).map((ms) => idOf(50_000 + ms)));
        const bounded = boundedCursor({ known, sinceMs }, first);
        assert.deepEqual(cursorOf(cursorJson(bounded)), bounded);
        assert.ok(Object.keys(bounded.known).length <= cursorTicketsMax);
        for (const [ticket, mark] of Object.entries(known))
          if (Object.hasOwn(bounded.known, ticket)) assert.equal(bounded.known[ticket], mark);
          else assert.ok(bounded.sinceMs !== null && Number(mark.split(".")[0]) <= bounded.sinceMs);
        assert.ok((bounded.sinceMs ?? 0) >= (sinceMs ?? 0));
        for (const ticket of first) assert.equal(bounded.known[ticket], known[ticket]);
        assert.deepEqual(boundedCursor(bounded), bounded);
      },
    ),
    { seed: 11, numRuns: 25 },
  );
});
