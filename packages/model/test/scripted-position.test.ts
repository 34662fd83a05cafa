/** The step to play is a function of the request: broken answers, parallel calls and interrupted tools do not shift it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type CommittedItem, type Item, type ItemStatus } from "@yoi/base";
import { positionOf } from "../src/scripted/position.ts";

const user: Item = { type: "user_message", parts: [{ type: "text", text: "go" }] };
const text = (status: ItemStatus = "completed"): Item => ({ type: "assistant_message", text: "t", status });
const reasoning: Item = { type: "reasoning", text: "r", status: "completed" };
const call = (index: number): Item => ({
  type: "tool_call",
  call: callId(4, index),
  name: "Bash",
  arguments: "{}",
});
const result = (index: number): Item => ({
  type: "tool_result",
  call: callId(4, index),
  name: "Bash",
  summary: "s",
  is_error: false,
});
const interrupt: Item = { type: "system_item", kind: "interrupt", source: "host", body: "cut" };
const notice: Item = { type: "system_item", kind: "notification", source: "host", body: "news" };

/** `gap` stands for log entries that are no items: what lies between two batches. */
const gap = "gap";

function at(...sequence: (Item | typeof gap)[]): CommittedItem[] {
  return sequence.flatMap((one, seq) => (one === gap ? [] : [{ seq, item: one }]));
}

const cases: [what: string, items: CommittedItem[], step: number, attempt: number][] = [
  ["the first request", at(user), 0, 0],
  ["an answer", at(user, gap, reasoning, text(), gap, user), 1, 0],
  ["two answers with nothing in between", at(user, gap, text(), gap, text(), gap, user), 2, 0],
  ["parallel calls", at(user, gap, text(), call(1), call(2), gap, result(1), gap, result(2)), 1, 0],
  ["a notification", at(user, gap, call(0), gap, result(0), notice), 1, 0],
  ["a broken answer", at(user, gap, text("incomplete"), interrupt), 0, 1],
  ["a broken answer of whole blocks", at(user, gap, reasoning, text(), interrupt), 0, 1],
  ["two in a row", at(user, gap, text("incomplete"), interrupt, gap, text("incomplete"), interrupt), 0, 2],
  ["then a complete one", at(user, gap, text("incomplete"), interrupt, gap, text(), gap, user), 1, 0],
  [
    "a broken one after a complete one",
    at(user, gap, call(0), gap, result(0), gap, text("incomplete"), interrupt),
    1,
    1,
  ],
  ["a broken answer of which nothing is kept", at(user, gap, interrupt), 0, 1],
  ["the same after results", at(user, gap, call(0), gap, result(0), gap, interrupt), 1, 1],
  [
    "interrupted tools",
    at(user, gap, text(), call(1), call(2), gap, result(1), gap, result(2), interrupt, user),
    1,
    0,
  ],
  [
    "calls closed at once, before the input",
    at(user, gap, call(0), gap, result(0), interrupt, gap, user),
    1,
    0,
  ],
  [
    "results out of order in the log",
    [
      ...at(user, gap, call(0), call(1)),
      { seq: 9, item: result(0) },
      { seq: 8, item: result(1) },
      { seq: 10, item: interrupt },
    ],
    1,
    0,
  ],
  ["an answer at the output limit", at(user, gap, text("incomplete"), gap, user), 1, 0],
  ["the same, asked to go on", at(user, gap, text("incomplete"), gap, interrupt), 0, 1],
  ["an answer whose batch was torn", at(user, gap, text(), gap, interrupt), 0, 1],
];

test("position", () => {
  for (const [what, items, step, attempt] of cases) {
    assert.deepEqual(positionOf(items), { step, attempt }, what);
  }
});

test("what a compaction keeps adjoins in its segment: its ids say what stood between, and its summary what left", () => {
  const summary = (answers: number, broken: number): Item => ({
    type: "system_item",
    kind: "summary",
    source: "host",
    body: "earlier",
    record: { answers, broken },
  });
  /** Carried over in this order, with the ids that they had. */
  const carried = (...kept: readonly (readonly [id: string, item: Item])[]): CommittedItem[] =>
    kept.map(([id, item], index) => ({ seq: index + 1, id, item }));
  const rows: readonly (readonly [what: string, items: CommittedItem[], step: number, attempt: number])[] = [
    ["two answers", carried(["5", text()], ["9", text()]), 2, 0],
    ["one of two parts", carried(["5", reasoning], ["6", text()]), 1, 0],
    ["tools interrupted", carried(["5", call(1)], ["7", result(1)], ["8", interrupt]), 1, 0],
    ["nothing kept of the next", carried(["5", call(1)], ["7", result(1)], ["12", interrupt]), 1, 1],
    ["another segment's", carried(["5", call(1)], ["7", result(1)], ["1-8", interrupt]), 1, 1],
    ["behind a summary", carried(["1-1", summary(7, 0)], ["5", text()], ["1-9", user]), 8, 0],
    ["of attempts too", carried(["1-1", summary(7, 2)], ["1-9", user]), 7, 2],
    ["and one more", carried(["1-1", summary(7, 2)], ["5", text("incomplete")], ["6", interrupt]), 7, 3],
    [
      "of another's words",
      carried(["1-1", { ...notice, kind: "summary", source: "x", record: { answers: 7, broken: 0 } }]),
      0,
      0,
    ],
  ];
  for (const [what, items, step, attempt] of rows)
    assert.deepEqual(positionOf(items), { step, attempt }, what);
});
