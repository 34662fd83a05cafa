/** The fold of a turn that was rolled back, and of submissions: the input leaves history, its name and what others brought stay. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EntryBody } from "@yoi/base";
import { createReplay, replay } from "../src/index.ts";
import { notice } from "./support/inbox-log.ts";
import { logOf } from "./support/log-of.ts";
import { serviceEntries } from "./support/service-log.ts";

const invoke: EntryBody = { kind: "invoke", trigger: "user_send" };
const input = (text: string, more: { attachments?: number; submission?: string } = {}): EntryBody => ({
  kind: "user_input",
  parts: [{ type: "text", text }],
  ...more,
});
const note = (body: string): EntryBody => ({ kind: "system_item", item: notice(body) });
const back = (from_seq: number): EntryBody => ({ kind: "turn_rolled_back", from_seq });
const finished: EntryBody = { kind: "run_completed", result: "finished" };
const resume: EntryBody = { kind: "invoke", trigger: "resume" };

describe("a turn that was rolled back", () => {
  const cases: [string, EntryBody[], string[]][] = [
    ["loses its input", [invoke, input("a"), back(3)], []],
    [
      "loses what it attached too",
      [invoke, input("a", { attachments: 2 }), note("x"), note("y"), back(3)],
      [],
    ],
    [
      "keeps what came behind that, also where it looks the same",
      [invoke, input("a", { attachments: 1 }), note("x"), note("x"), note("y"), back(3)],
      ["x", "y"],
    ],
    [
      "keeps what was there before, and earlier inputs",
      [invoke, input("a"), finished, note("x"), invoke, input("b"), note("y"), back(7)],
      ["a", "x", "y"],
    ],
    ["takes nothing twice", [invoke, input("a"), finished, invoke, input("b"), back(6), back(6)], ["a"]],
    ["has no input: nothing leaves", [invoke, input("a"), finished, resume, note("x"), back(6)], ["a", "x"]],
    [
      "is not the last run: nothing leaves",
      [invoke, input("a"), finished, invoke, input("b"), back(3)],
      ["a", "b"],
    ],
  ];
  for (const [name, bodies, expected] of cases) {
    test(name, () => {
      const { items, run } = replay(logOf(...bodies));
      const texts = items.map(({ item }) => {
        if (item.type === "system_item") return item.body;
        return item.type === "user_message"
          ? item.parts.map((part) => "text" in part && part.text).join()
          : item;
      });
      assert.deepEqual([texts, run], [expected, { state: "idle" }]);
    });
  }
});

describe("submissions", () => {
  const a = [{ type: "text", text: "a" }] as const;
  const cases: [string, EntryBody[], [string, object][]][] = [
    [
      "are known by the invoke of their run",
      [invoke, input("a", { submission: "s" })],
      [["s", { seq: 3, given: a }]],
    ],
    [
      "keep their name when their turn is rolled back",
      [invoke, input("a", { submission: "s" }), back(3)],
      [["s", { seq: 3, given: a }]],
    ],
    [
      "of the inbox are known by their acceptance, also once they are delivered",
      [
        { kind: "inbox_accepted", item: notice("n"), submission: "s" },
        { kind: "system_item", item: notice("n"), delivers: 3 },
      ],
      [["s", { seq: 3, given: notice("n") }]],
    ],
    [
      "are the first of their name",
      [invoke, input("a", { submission: "s" }), finished, invoke, input("b", { submission: "s" })],
      [["s", { seq: 3, given: a }]],
    ],
    ["whose batch a crash tore are not there", [invoke, { kind: "opened", epoch: 2, version: "0.1.0" }], []],
  ];
  for (const [name, bodies, expected] of cases) {
    test(name, () => assert.deepEqual([...replay(logOf(...bodies)).submissions], expected));
  }
});

test("at every prefix of a log it is what live history has", () => {
  const live = createReplay();
  for (const [index, entry] of serviceEntries.entries()) {
    live.apply(entry);
    const { items, measured, submissions, approvals, run } = replay(serviceEntries.slice(0, index + 1));
    const { state } = live;
    assert.deepEqual(
      [state.items, state.measured, [...state.submissions], state.approvals, state.run],
      [items, measured, [...submissions], approvals, run],
    );
  }
});
