/** The fold of what waits for the user: which answer counts, what closes an approval, and what is known of it then. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type EntryBody } from "@yoi/base";
import { replay } from "../src/index.ts";
import { logOf } from "./support/log-of.ts";

const [one, two] = ["a".repeat(64), "b".repeat(64)];
const call = callId(3, 0);
const asked = (digest = one, of = call): EntryBody => ({
  kind: "approval_asked",
  call: of,
  digest,
  reason: "a rule wants it",
  expires: 900,
});
const answered = (answer: "allow" | "deny", digest = one, of = call): EntryBody => ({
  kind: "approval_answered",
  call: of,
  digest,
  answer,
  ...(answer === "deny" ? { reason: "no" } : {}),
});
const started: EntryBody = { kind: "tool_started", call };
const result: EntryBody = {
  kind: "tool_result",
  item: { type: "tool_result", call, name: "Bash", summary: "s", is_error: true },
};
const open = (seq: number, digest: string, answer: string | null, of = call) =>
  `${seq} ${of} ${digest} ${answer}`;

/** The log begins with three entries of its own. */
const table: readonly (readonly [
  name: string,
  bodies: readonly EntryBody[],
  open: readonly string[],
  closed: readonly string[],
])[] = [
  ["nothing", [], [], []],
  ["asked", [asked()], [open(3, one, null)], []],
  ["allowed", [asked(), answered("allow")], [open(3, one, "4 allow null")], []],
  ["denied, with a reason", [asked(), answered("deny")], [open(3, one, "4 deny no")], []],
  [
    "the first answer counts",
    [asked(), answered("deny"), answered("allow")],
    [open(3, one, "4 deny no")],
    [],
  ],
  ["of another digest", [asked(), answered("allow", two)], [open(3, one, null)], []],
  ["of another call", [asked(), answered("allow", one, callId(3, 1))], [open(3, one, null)], []],
  ["before it is asked", [answered("allow"), asked()], [open(4, one, null)], []],
  ["asked anew about something else", [asked(), answered("allow"), asked(two)], [open(5, two, null)], []],
  ["started by its answer", [asked(), answered("allow"), started], [], [`${one} ${call} start 4`]],
  ["started without one", [asked(), started, result], [], [`${one} ${call} start null`]],
  ["closed without a start", [asked(), result], [], [`${one} ${call} result null`]],
  ["answered when it is closed", [asked(), result, answered("allow")], [], [`${one} ${call} result null`]],
  [
    "asked anew behind another",
    [asked(), asked(two, callId(3, 1)), asked("c".repeat(64))],
    [open(4, two, null, callId(3, 1)), open(5, "c".repeat(64), null)],
    [],
  ],
  [
    "two at once, in log order",
    [asked(two, callId(3, 1)), asked(), answered("allow")],
    [open(3, two, null, callId(3, 1)), open(4, one, "5 allow null")],
    [],
  ],
];

test("what waits, by the entries of the log: a table", () => {
  for (const [name, bodies, stillOpen, closed] of table) {
    const { approvals, closedApprovals } = replay(logOf(...bodies));
    assert.deepEqual(
      approvals.map(({ seq, digest, answer, call: of }) =>
        open(seq, digest, answer && `${answer.seq} ${answer.answer} ${answer.reason}`, of),
      ),
      stillOpen,
      name,
    );
    assert.deepEqual(
      Array.from(
        closedApprovals,
        ([digest, { call: of, by, answer }]) => `${digest} ${of} ${by} ${answer?.seq ?? null}`,
      ),
      closed,
      name,
    );
  }
});
