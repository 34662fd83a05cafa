/** Marks: what is not known of a thread is found, once and in order, wherever git put it; what cannot be found is said. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { behindMark, behindTime, displacedMax, latestMsOfMark, markCharsMax, markOf } from "../src/mark.ts";
import { encodeTicketId } from "../src/ticket-id.ts";
import type { TicketEvent } from "../src/ticket.ts";

const event = (n: number, more: Partial<TicketEvent> = {}): TicketEvent => ({
  id: encodeTicketId(n),
  kind: "comment",
  author: "hare",
  role: "user",
  at: "",
  body: `${n}`,
  ...more,
});
const thread = (...ns: readonly number[]) => ns.map((n) => event(n));
const told = (now: readonly TicketEvent[], mark: string) =>
  behindMark(now, mark)?.map(({ event: { body } }) => Number(body)) ?? null;

describe("what is new", () => {
  const cases: readonly (readonly [
    string,
    readonly number[],
    readonly number[],
    readonly number[] | null,
  ])[] = [
    ["nothing", [1, 2], [1, 2], []],
    ["all of a thread", [], [1, 2], [1, 2]],
    ["behind", [1, 2], [1, 2, 3, 4], [3, 4]],
    ["behind, though it is older", [1, 3], [1, 3, 2], [2]],
    ["in between, as a rebase puts it", [1, 5, 6], [1, 2, 3, 5, 6], [2, 3]],
    ["before all", [5, 6], [1, 5, 6], [1]],
    ["one was twice there and is thrice", [1, 2, 2], [1, 2, 2, 2], [2]],
    ["in two places", [1, 3, 5], [1, 2, 3, 4, 5], null],
    ["another order", [1, 2, 3], [1, 3, 2], null],
    ["another event in the place of one", [1, 2], [1, 3], null],
    ["an older state", [1, 2, 3], [1, 2], []],
    ["an older state, and another event behind it that is later", [1, 2, 3], [1, 4], null],
    ["an empty thread", [1, 2], [], []],
  ];
  for (const [name, known, now, fresh] of cases)
    test(name, () => assert.deepEqual(told(thread(...now), markOf(thread(...known))), fresh));
});

test("an event is what it is by id, kind, author and time; one without an id by the others, wherever it stands", () => {
  const mark = markOf([event(1), event(2, { id: "@2", at: "2026-01-01T00:00:00Z" })]);
  assert.deepEqual(told([event(1), event(2, { id: "@7", at: "2026-01-01T00:00:00Z", body: "x" })], mark), []);
  for (const other of [{ author: "anna" }, { kind: "plan" }, { at: "2026-01-01T00:00:01Z" }])
    assert.equal(told([event(1), event(2, { id: "@2", at: "2026-01-01T00:00:00Z", ...other })], mark), null);
});

test("each mark on the way is the place behind its event, and the last one that of the whole thread", () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { maxLength: 30 });
  const cut = fc.integer({ min: 0, max: 30 });
  fc.assert(
    fc.property(ids, cut, cut, (all, one, other) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      const [before, fresh, behind] = [all.slice(0, from), all.slice(from, to), all.slice(to)];
      const now = thread(...before, ...fresh, ...behind);
      const steps = behindMark(now, markOf(thread(...before, ...behind))) ?? assert.fail();
      assert.equal(steps.length, fresh.length);
      steps.forEach(({ mark }, n) =>
        assert.deepEqual(
          behindMark(now, mark)?.map((step) => step.event),
          steps.slice(n + 1).map((step) => step.event),
        ),
      );
      if (fresh.length > 0) assert.equal(steps.at(-1)?.mark, markOf(now));
    }),
    { seed: 9 },
  );
});

test(`what git put in stands before at most ${displacedMax} known events`, () => {
  for (const [known, isFound] of [
    [displacedMax, true],
    [displacedMax + 1, false],
  ] as const) {
    const behind = Array.from({ length: known }, (_, n) => 100 + n);
    assert.deepEqual(told(thread(1, ...behind), markOf(thread(...behind))), isFound ? [1] : null);
  }
});

test("a mark says its latest time and has its length; what is none finds nothing", () => {
  const largest = event(1, { id: encodeTicketId(8_640_000_000_000_000) });
  const mark = markOf([largest, event(2)]);
  assert.equal(latestMsOfMark(mark), 8_640_000_000_000_000);
  assert.ok(mark.length <= markCharsMax);
  assert.equal(markOf([]), "0.0.000000000000");
  for (const none of ["", "0001ABCDEFGHJ", "@1", `${mark}0`, "-1.0.000000000000", "0.0.00000000000g"]) {
    assert.equal(behindMark(thread(1), none), null);
    assert.equal(latestMsOfMark(none), 0);
  }
});

test("behind a time: what is later; where something later stands before what is not, nobody can say", () => {
  const later = (now: readonly number[], ms: number) =>
    behindTime(thread(...now), ms)?.map(({ event: { body } }) => Number(body)) ?? null;
  assert.deepEqual(later([1, 2, 3], 2), [3]);
  assert.deepEqual(later([1, 2, 3], 3), []);
  assert.deepEqual(later([3, 4], 2), [3, 4]);
  assert.equal(later([1, 3, 2], 2), null);
});
