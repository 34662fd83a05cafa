/** Answers that count for more calls: what the fold knows of them, in the segment in which they were given and in the next one; and which entries about them are refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type EntryBody, type KeptAnswer, type LogEntry, segmentId, sessionId } from "@yoi/base";
import { shapeOf } from "../src/entry-shape.ts";
import { replay } from "../src/index.ts";

const start: EntryBody = {
  kind: "segment_start",
  schema: 2,
  session_id: sessionId("019aa5c4-7d40-7c1e-9d3b-2f1f0a6b8c11"),
  segment_id: segmentId("019aa5c4-7d40-7c1e-9d3b-2f1f0a6b8c12"),
  config: { model: "m" },
  prompt: "",
  documents: [],
  turn_count: 0,
  states: {},
  generation: 2,
  carried: 1,
};
const digest = "a".repeat(64);
const call = callId(6, 0);
const keep: KeptAnswer = { for: "session", rule: "Bash(git *)", expires: 9 };
const asked: EntryBody = {
  kind: "approval_asked",
  call,
  digest,
  reason: "r",
  expires: 9,
  offers: ["Bash(git *)"],
};
const answered: EntryBody = { kind: "approval_answered", call, digest, answer: "allow", keep };
const entriesOf = (...bodies: readonly EntryBody[]): readonly LogEntry[] =>
  [start, ...bodies].map((body, seq) => ({ seq, batch: seq, ts: 1, ...body }));

test("an answer that counts is kept under its id; one that came second, or is of something else, is not", () => {
  const carried: EntryBody = { kind: "carried", of: "approval_answered", id: "1-7", digest, keep };
  const cases: readonly (readonly [readonly EntryBody[], readonly string[]])[] = [
    [[asked, answered], ["2-2"]],
    [[asked, answered, answered], ["2-2"]],
    [
      [carried, asked, answered],
      ["1-7", "2-3"],
    ],
    [[answered], []],
    [[asked, { ...answered, answer: "deny" }], []],
    [[asked, { ...answered, digest: "b".repeat(64) }], []],
    [[asked, { kind: "approval_answered", call, digest, answer: "allow" }], []],
    [[asked, { kind: "tool_started", call }, answered], []],
  ];
  for (const [bodies, ids] of cases) {
    const { kept } = replay(entriesOf(...bodies));
    assert.deepEqual(
      kept,
      ids.map((id) => ({ id, digest, keep })),
    );
  }
});

test("what is asked says what it could keep, and what it would leave the scope for", () => {
  const wish = { permission: "write", target: "/x" } as const;
  const [open] = replay(entriesOf({ ...asked, wish })).approvals;
  assert.deepEqual([open?.offers, open?.wish], [["Bash(git *)"], wish]);
});

test("an entry about what is kept has exactly these fields", () => {
  const by = { for: "always", id: "x", rule: "read /x" };
  const cases: readonly (readonly [string, object, boolean])[] = [
    ["approval_answered", { call, digest, answer: "allow", keep: { ...keep, everywhere: true } }, true],
    ["approval_answered", { call, digest, answer: "allow", keep: { for: "ever", rule: "x" } }, false],
    ["approval_answered", { call, digest, answer: "allow", keep: { for: "session" } }, false],
    [
      "approval_asked",
      { call, digest, reason: "", expires: 1, offers: ["x"], wish: { permission: "read", target: "/" } },
      true,
    ],
    ["approval_asked", { call, digest, reason: "", expires: 1, offers: [1] }, false],
    [
      "approval_asked",
      { call, digest, reason: "", expires: 1, wish: { permission: "execute", target: "/" } },
      false,
    ],
    ["carried", { of: "approval_answered", id: "1-7", digest, keep }, true],
    ["carried", { of: "approval_answered", id: "1-7", digest }, false],
    ["tool_started", { call, allowed_by: [by] }, true],
    ["tool_started", { call, allowed_by: [{ ...by, for: "once" }] }, false],
    ["tool_started", { call, allowed_by: by }, false],
  ];
  for (const [kind, fields, isTaken] of cases) {
    const problem = shapeOf(kind)?.({ seq: 1, batch: 1, ts: 1, kind, ...fields });
    assert.equal(problem === null, isTaken, `${JSON.stringify({ kind, ...fields })}: ${problem}`);
  }
});
