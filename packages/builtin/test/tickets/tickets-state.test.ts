/** Which tickets are followed, as records and snapshots have it, and what a model and a person are told of that. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callId, type JsonObject, panelRowsMax, utf8Length } from "@yoi/base";
import { describedBytesMax, type ToolRecord } from "@yoi/feature";
import { ticketStates } from "@yoi/tickets";
import { followedMax, FollowedTickets, ownMax } from "../../src/tickets/followed-tickets.ts";
import { ticketsState } from "../../src/tickets/tickets-state.ts";

const idOf = (n: number) => `00001${n.toString().padStart(8, "0")}`;
const followed = (n: number, more: JsonObject = {}): JsonObject => ({
  ticket: idOf(n),
  title: `Ticket ${n}`,
  state: "planning",
  known: idOf(n),
  last: idOf(n),
  follow: true,
  ...more,
});

function record(given: JsonObject, more: Partial<ToolRecord> = {}): ToolRecord {
  const call = callId(1, 0);
  return { call, tool: "TicketComment", arguments: {}, isError: false, summary: "", record: given, ...more };
}

function restored(records: readonly ToolRecord[], snapshot: JsonObject | null = null) {
  const set = new FollowedTickets();
  const state = ticketsState(set);
  state.restore(records, snapshot === null ? null : { version: 1, value: snapshot });
  return { set, state };
}

test("records are applied in their order: what failed or only looked changes nothing, and a ticket keeps what was known when it began to be followed", () => {
  const { set } = restored([
    record(followed(1)),
    record(followed(2)),
    record(followed(3), { isError: true }),
    record({ ticket: idOf(4), follow: true }),
    record(followed(1, { known: idOf(9), last: idOf(9), state: "ready" })),
    record({ ticket: idOf(2), follow: false }),
    record(followed(2, { known: idOf(8) })),
  ]);
  assert.deepEqual(
    set.list().map(({ ticket, state, known, last }) => [ticket, state, known, last]),
    [
      [idOf(1), "ready", idOf(1), idOf(9)],
      [idOf(2), "planning", idOf(8), idOf(2)],
    ],
  );
});

test("a snapshot and the records behind it are the state; restoring again forgets what was before", () => {
  const { set, state } = restored([record(followed(1)), record(followed(2, { state: "done" }))]);
  const snapshot = JSON.parse(JSON.stringify(state.snapshot())) as JsonObject;
  const whole = set.list();
  assert.deepEqual(restored([], snapshot).set.list(), whole);
  assert.deepEqual(
    restored([record({ ticket: idOf(1), follow: false })], snapshot).set.list(),
    whole.slice(1),
  );
  state.restore([], null);
  assert.deepEqual(set.list(), []);
});

test(`what the Pod wrote is its own, as its records and a snapshot have it; of more than ${ownMax} events the first are forgotten`, () => {
  const wrote = (n: number) => record(followed(1, { wrote: idOf(n) }));
  const { set, state } = restored([
    wrote(1),
    record(followed(1, { wrote: idOf(2) }), { isError: true }),
    wrote(3),
  ]);
  const own = (one: FollowedTickets) => [1, 2, 3, 4].filter((n) => one.isOwn(idOf(1), idOf(n)));
  assert.deepEqual(own(set), [1, 3]);
  assert.ok(!set.isOwn(idOf(2), idOf(1)));
  const snapshot = JSON.parse(JSON.stringify(state.snapshot())) as JsonObject;
  assert.deepEqual(own(restored([wrote(4)], snapshot).set), [1, 3, 4]);
  const full = restored(Array.from({ length: ownMax }, (_, n) => wrote(n)));
  assert.deepEqual([full.set.isOwn(idOf(1), idOf(0)), full.set.own().length], [true, ownMax]);
  full.set.take({ ticket: idOf(1), follow: null, wrote: idOf(ownMax) });
  assert.deepEqual(
    [0, 1, ownMax].map((n) => full.set.isOwn(idOf(1), idOf(n))),
    [false, true, true],
  );
  assert.deepEqual(own(restored([]).set), []);
});

describe("a snapshot that no version of this feature wrote is refused", () => {
  const cases: readonly (readonly [string, number, JsonObject | null, string])[] = [
    ["of a newer version", 2, { tickets: [] }, "schema_newer"],
    ["without its list", 1, {}, "log_damaged"],
    ["with what is no ticket", 1, { tickets: [{ ticket: "x" }] }, "log_damaged"],
    ["with a state that there is not", 1, { tickets: [followed(1, { state: "open" })] }, "log_damaged"],
    [
      "with more than there can be",
      1,
      { tickets: Array.from({ length: followedMax + 1 }, (_, n) => followed(n)) },
      "log_damaged",
    ],
    ["with what the Pod wrote as no list", 1, { tickets: [], own: {} }, "log_damaged"],
    ["null", 1, null, "log_damaged"],
  ];
  for (const [name, version, value, code] of cases)
    test(name, () => {
      assert.throws(() => ticketsState(new FollowedTickets()).restore([], { version, value }), { code });
    });
});

test(`at most ${followedMax} are followed: the oldest that is closed goes first, then the oldest`, () => {
  const set = new FollowedTickets();
  for (let n = 0; n < followedMax; n += 1)
    set.follow({
      ticket: idOf(n),
      title: "t",
      state: n === 7 ? "closed" : "ready",
      known: idOf(n),
      last: idOf(n),
    });
  assert.equal(set.list().length, followedMax);
  const more = (n: number) =>
    set.follow({ ticket: idOf(n), title: "t", state: "ready", known: idOf(n), last: idOf(n) });
  more(1_000);
  assert.deepEqual(
    [set.list().length, set.of(idOf(7)), set.of(idOf(0)) === null],
    [followedMax, null, false],
  );
  more(1_001);
  assert.deepEqual(
    [set.list().length, set.of(idOf(0)), set.of(idOf(1_001)) === null],
    [followedMax, null, false],
  );
});

test("what is told where history was compacted is bounded, what is open first; null where nothing is followed", () => {
  assert.equal(restored([]).state.describe?.(), null);
  const few = restored([record(followed(1, { state: "done" })), record(followed(2))]);
  assert.deepEqual(few.state.describe?.()?.split("\n"), [
    "Tickets that you follow, as you heard of them last (TicketShow says what they are now):",
    `- ${idOf(2)} (planning, last event ${idOf(2)}): Ticket 2`,
    `- ${idOf(1)} (done, last event ${idOf(1)}): Ticket 1`,
  ]);
  const many = restored(
    Array.from({ length: followedMax }, (_, n) => record(followed(n, { title: "兎".repeat(4_000) }))),
  );
  const text = many.state.describe?.() ?? "";
  assert.ok(utf8Length(text) <= describedBytesMax);
  assert.match(text, /\n\(and \d+ more\)$/);
  for (let n = 0; n < ownMax; n += 1) many.set.take({ ticket: idOf(n), follow: null, wrote: idOf(n) });
  many.state.restore([], { version: 1, value: JSON.parse(JSON.stringify(many.state.snapshot())) });
  assert.ok(utf8Length(JSON.stringify(many.state.snapshot())) <= 256 * 1024);
});

test("a person sees each with its state, in as many rows as there are", () => {
  assert.equal(restored([]).state.panel?.(), null);
  const all = restored(ticketStates.map((state, n) => record(followed(n, { state }))));
  assert.deepEqual(all.state.panel?.(), {
    title: "Tickets 6 followed",
    rows: [
      { mark: "doing", text: `${idOf(3)} inprogress Ticket 3` },
      { mark: "todo", text: `${idOf(2)} queued Ticket 2` },
      { mark: "todo", text: `${idOf(1)} ready Ticket 1` },
      { mark: "note", text: `${idOf(0)} planning Ticket 0` },
      { mark: "dropped", text: `${idOf(5)} closed Ticket 5` },
      { mark: "done", text: `${idOf(4)} done Ticket 4` },
    ],
  });
  for (const count of [panelRowsMax, panelRowsMax + 1]) {
    const rows =
      restored(Array.from({ length: count }, (_, n) => record(followed(n)))).state.panel?.()?.rows ?? [];
    assert.equal(rows.length, panelRowsMax);
    assert.equal(rows.at(-1)?.text.includes("2 more"), count > panelRowsMax);
  }
});
