/** StreamPlace: what may come where, and what the listener is told of it. */
import assert from "node:assert/strict";
import test from "node:test";
import { StreamPlace } from "../../src/client/stream-place.ts";
import type { Cursor, HelloResult, StreamEvent } from "../../src/index.ts";
import { BadPodLine, type UnknownEvent } from "../../src/read-pod-line.ts";
import { alertEvent, entryEvent, liveEvent, segment, snapshotEvent } from "./scripted-pod.ts";
import { told } from "./told.ts";

type Given = UnknownEvent | Exclude<StreamEvent, { readonly event: "resync" }>;

const other = "01920000-0000-7000-8000-00000000000f";

function result(changed: Partial<HelloResult>): HelloResult {
  return { protocol: 1, pod: "p", session: "s", segment, epoch: 1, from: 0, ...changed };
}

interface Case {
  readonly name: string;
  readonly after?: Cursor;
  /** A hello's result (null: no stream), or an event. */
  readonly given: readonly (HelloResult | null | Given)[];
  readonly told: readonly string[];
  /** Of the last one given. */
  readonly fault?: RegExp;
  readonly cursor?: Cursor | null;
}

const omitted: Given = { event: "entry_omitted", seq: 0, kind: "tool_result", bytes: 9 };
const arrived: readonly (HelloResult | Given)[] = [result({}), entryEvent(0), snapshotEvent({ n: 7 })];
const arrivedTold = ["entry 0", "snapshot 0 alerts "];

const cases: readonly Case[] = [
  {
    name: "records, the snapshot, then both in between",
    given: [...arrived, liveEvent(8), entryEvent(1), liveEvent(9)],
    told: [...arrivedTold, "live 8", "entry 1", "live 9"],
    cursor: { segment, seq: 1 },
  },
  {
    name: "an omitted entry has its place",
    given: [result({}), omitted, entryEvent(1)],
    told: ["omitted 0 tool_result", "entry 1"],
    cursor: { segment, seq: 1 },
  },
  {
    name: "goes on behind the cursor",
    after: { segment, seq: 4 },
    given: [result({ from: 5 }), entryEvent(5), snapshotEvent({ seq: 5 })],
    told: ["entry 5", "snapshot 5 alerts "],
    cursor: { segment, seq: 5 },
  },
  {
    name: "nothing new behind the cursor",
    after: { segment, seq: 4 },
    given: [result({ from: 5 }), snapshotEvent({ seq: 4 })],
    told: ["snapshot 4 alerts "],
    cursor: { segment, seq: 4 },
  },
  {
    name: "another segment begins anew",
    after: { segment: other, seq: 4 },
    given: [result({}), entryEvent(0)],
    told: [`restarted ${segment}`, "entry 0"],
    cursor: { segment, seq: 0 },
  },
  {
    name: "the same segment begins anew",
    after: { segment, seq: 4 },
    given: [result({})],
    told: [`restarted ${segment}`],
    cursor: null,
  },
  {
    name: "without a cursor nothing begins anew",
    given: [result({}), result({ segment: other }), entryEvent(0)],
    told: ["entry 0"],
    cursor: { segment: other, seq: 0 },
  },
  {
    name: "a start that was not asked for",
    after: { segment, seq: 4 },
    given: [result({ from: 4 })],
    told: [],
    fault: /begins at entry 4/,
  },
  {
    name: "a start in the middle of another segment",
    after: { segment: other, seq: 4 },
    given: [result({ from: 5 })],
    told: [],
    fault: /begins at entry 5/,
  },
  {
    name: "a start in the middle without a cursor",
    given: [result({ from: 1 })],
    told: [],
    fault: /begins at entry 1/,
  },
  {
    name: "a gap",
    given: [result({}), entryEvent(0), entryEvent(2)],
    told: ["entry 0"],
    fault: /sent entry 2 where entry 1 comes next/,
    cursor: { segment, seq: 0 },
  },
  {
    name: "a double",
    given: [result({}), entryEvent(0), entryEvent(0)],
    told: ["entry 0"],
    fault: /sent entry 0 where entry 1 comes next/,
  },
  {
    name: "an omitted double",
    given: [result({}), entryEvent(0), omitted],
    told: ["entry 0"],
    fault: /sent entry 0 where entry 1 comes next/,
  },
  {
    name: "a snapshot before all records",
    given: [result({}), entryEvent(0), snapshotEvent({ seq: 1 })],
    told: ["entry 0"],
    fault: /a snapshot at entry 1/,
  },
  {
    name: "a snapshot of another segment",
    given: [result({}), entryEvent(0), snapshotEvent({ segment: other })],
    told: ["entry 0"],
    fault: /a snapshot at entry 0/,
  },
  {
    name: "a snapshot of another life",
    given: [result({}), entryEvent(0), snapshotEvent({ epoch: 2 })],
    told: ["entry 0"],
    fault: /a snapshot at entry 0/,
  },
  {
    name: "a second snapshot",
    given: [...arrived, snapshotEvent({ n: 7 })],
    told: arrivedTold,
    fault: /a second snapshot/,
  },
  {
    name: "a live event before the snapshot",
    given: [result({}), liveEvent(1)],
    told: [],
    fault: /before its snapshot/,
  },
  {
    name: "a gap in live events",
    given: [...arrived, liveEvent(9)],
    told: arrivedTold,
    fault: /live event 9 where 8 comes next/,
  },
  {
    name: "a live event twice",
    given: [...arrived, liveEvent(8), liveEvent(8)],
    told: [...arrivedTold, "live 8"],
    fault: /live event 8 where 9 comes next/,
  },
  {
    name: "events of later releases are not told, and count",
    given: [...arrived, { event: "unknown", n: null }, { event: "unknown", n: 8 }, liveEvent(9)],
    told: [...arrivedTold, "live 9"],
  },
  {
    name: "a gap before an event of a later release",
    given: [...arrived, { event: "unknown", n: 9 }],
    told: arrivedTold,
    fault: /live event 9 where 8 comes next/,
  },
  {
    name: "an event of a stream that was not asked for",
    given: [null, entryEvent(0)],
    told: [],
    fault: /not asked for/,
  },
];

for (const { name, after, given, told: expected, fault, cursor } of cases) {
  test(`a client's place in the stream: ${name}`, () => {
    const heard = told();
    const place = new StreamPlace(heard.listener, after ?? null);
    const give = (each: HelloResult | null | Given) =>
      each !== null && "event" in each ? place.take(each) : place.begin(each);
    given.slice(0, -1).forEach(give);
    const last = given.at(-1) ?? null;
    if (fault === undefined) give(last);
    else {
      assert.throws(
        () => give(last),
        (error) => error instanceof BadPodLine && fault.test(error.message),
      );
    }
    assert.deepEqual(heard.lines, expected);
    if (cursor !== undefined) assert.deepEqual(place.cursor, cursor);
  });
}

test("an alert is told once: in a snapshot, or live, over connections of one life of the Pod", () => {
  const heard = told();
  const place = new StreamPlace(heard.listener, null);
  const alerts = [2, 4, 6, 9].map((n) => {
    const { live } = alertEvent(n);
    assert.equal(live.type, "alert");
    return { ...live, n };
  });
  const upTo = (n: number) => alerts.filter((alert) => alert.n <= n);
  place.begin(result({}));
  place.take(entryEvent(0));
  place.take(snapshotEvent({ n: 5, alerts: upTo(5) }));
  place.take(alertEvent(6));
  place.begin(result({ from: 1 }));
  place.take(snapshotEvent({ n: 9, alerts: upTo(9) }));
  // Another life counts anew.
  place.begin(result({ from: 1, epoch: 2 }));
  place.take(snapshotEvent({ epoch: 2, n: 4, alerts: upTo(4) }));
  assert.deepEqual(heard.lines, [
    "entry 0",
    "snapshot 0 alerts 2,4",
    "alert 6",
    "snapshot 0 alerts 9",
    "snapshot 0 alerts 2,4",
  ]);
});
