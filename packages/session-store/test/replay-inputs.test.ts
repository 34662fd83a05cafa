/** The fold of inputs that wait: what is given leaves the queue in the same line, what is taken back with its run waits again, and what holds them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EntryBody } from "@yoi/base";
import { replay, submissionDigest } from "../src/index.ts";
import { notice } from "./support/inbox-log.ts";
import { logOf } from "./support/log-of.ts";

const parts = (text: string) => [{ type: "text", text }] as const;
const queued = (text: string, when: "boundary" | "run_end" = "run_end"): EntryBody => ({
  kind: "input_queued",
  parts: parts(text),
  when,
  submission: text,
});
const given = (delivers: number, text: string, attachments = 0): EntryBody => ({
  kind: "user_input",
  parts: parts(text),
  submission: text,
  delivers,
  ...(attachments === 0 ? {} : { attachments }),
});
const invoke = (trigger: "user_send" | "resume" | "notify" | "pod_event" = "user_send"): EntryBody => ({
  kind: "invoke",
  trigger,
});
const goesOn: EntryBody = { kind: "invoke", trigger: "resume", by: "pod" };
const opened: EntryBody = { kind: "opened", epoch: 2, version: "1" };
const input: EntryBody = { kind: "user_input", parts: parts("asked") };
const file: EntryBody = { kind: "system_item", item: notice("file") };
const back = (from_seq: number): EntryBody => ({ kind: "turn_rolled_back", from_seq });
const ended = (result: "finished" | "cancelled" | "limit_reached" | "aborted"): EntryBody => ({
  kind: "run_completed",
  result,
});
const failed: EntryBody = { kind: "run_errored", code: "network", message: "It is gone." };
const paused: EntryBody = { kind: "run_paused", reason: "user" };

/** Texts that wait, whether for the user, and texts of history. The first body is entry 3. */
function seen(bodies: readonly EntryBody[]) {
  const { queue, queueHeld, items } = replay(logOf(...bodies));
  const textOf = (all: readonly object[]) => all.map((part) => ("text" in part ? part.text : "?")).join();
  return [
    queue.map((one) => textOf(one.parts)),
    queueHeld,
    items.map(({ item }) => (item.type === "user_message" ? textOf(item.parts) : item.type)),
  ];
}

describe("what waits in the queue", () => {
  const cases: [string, EntryBody[], string[], boolean, string[]][] = [
    ["is no history, and keeps its order", [queued("a"), queued("b", "boundary")], ["a", "b"], false, []],
    ["is history once it is given", [queued("a"), queued("b"), invoke(), given(3, "a")], ["b"], false, ["a"]],
    ["is gone when it is taken back", [queued("a"), { kind: "input_unqueued", queued: 3 }], [], false, []],
    ["is not what is not there", [queued("a"), { kind: "input_unqueued", queued: 9 }], ["a"], false, []],
    [
      "waits again where its run is taken back, with what was given beside it, in its old place",
      [
        queued("a"),
        queued("b", "boundary"),
        queued("c"),
        invoke(),
        given(3, "a", 1),
        file,
        file,
        given(4, "b"),
        queued("d"),
        back(6),
      ],
      ["a", "b", "c", "d"],
      true,
      ["system_item"],
    ],
    [
      "waits again where the run had an input of its own, which does not",
      [queued("b", "boundary"), invoke(), input, given(3, "b"), back(4)],
      ["b"],
      true,
      [],
    ],
    [
      "is not taken back with an earlier run",
      [queued("a"), invoke(), given(3, "a"), ended("finished"), invoke(), input, back(4)],
      [],
      false,
      ["a", "asked"],
    ],
    [
      "is given again behind that",
      [queued("a"), invoke(), given(3, "a"), back(4), invoke(), given(3, "a")],
      [],
      false,
      ["a"],
    ],
  ];
  for (const [name, bodies, ...expected] of cases)
    test(name, () => {
      assert.deepEqual(seen(bodies), expected);
    });
});

describe("what waits is held for the user", () => {
  const run = [invoke(), input, queued("a")];
  const cases: [string, EntryBody[], boolean][] = [
    ["not while a run goes on", run, false],
    ["not behind one that finished", [...run, ended("finished")], false],
    ["nor by a pause, behind which the run goes on", [...run, paused], false],
    ...(["cancelled", "limit_reached", "aborted"] as const).map((result): [string, EntryBody[], boolean] => [
      `behind one that was ${result}`,
      [...run, ended(result)],
      true,
    ]),
    ["behind one that failed", [...run, failed], true],
    ["not where nothing waits", [invoke(), input, ended("cancelled")], false],
    ["until the user gives another input", [...run, failed, invoke(), input], false],
    ["or resumes", [...run, failed, invoke("resume")], false],
    ["or gives one for later", [...run, failed, queued("b")], false],
    ["also by what begins by itself", [...run, failed, invoke("notify"), ended("finished")], true],
    ["and goes on by itself", [...run, failed, invoke("notify"), goesOn], true],
    ["not where the Pod goes on with a run of the user", [...run, goesOn], false],
    ["behind the end of its process", [...run, opened], true],
    ["until the user goes on with that run too", [...run, opened, invoke("resume")], false],
    ["whatever that is", [...run, failed, invoke("pod_event"), ended("finished")], true],
  ];
  for (const [name, bodies, held] of cases)
    test(name, () => {
      assert.equal(seen(bodies)[1], held);
    });
});

test("its submission is known by the entry that has it on record, whatever becomes of it", () => {
  const log = logOf(queued("a"), invoke(), given(3, "a"), back(4), { kind: "input_unqueued", queued: 3 });
  const known = { id: "3", seq: 3, digest: submissionDigest(parts("a")) };
  assert.deepEqual([...replay(log).submissions], [["a", known]]);
});
