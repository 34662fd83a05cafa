/** The fold of a turn that was rolled back, and of submissions: the input leaves history, its name and what others brought stay. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type EntryBody, isKnown } from "@yoi/base";
import { createReplay, replay, submissionDigest } from "../src/index.ts";
import { notice } from "./support/inbox-log.ts";
import { logOf } from "./support/log-of.ts";
import { sampleEntries } from "./support/sample-log.ts";
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

describe("what was measured", () => {
  const sample = sampleEntries.filter(isKnown).find((entry) => entry.kind === "llm_request") ?? assert.fail();
  const { seq: _seq, batch: _batch, ts: _ts, ...request } = sample;
  const asks = (through: number): EntryBody => ({
    ...request,
    through,
    items: 1,
    wire: { ...request.wire, bytes: 400 },
  });
  const ofSample = { model: "anthropic/claude-x", head_bytes: 58 };
  const counted = (of: number, input_tokens: number): EntryBody => ({
    kind: "llm_usage",
    request: of,
    finish: "interrupted",
    usage: {
      input_tokens,
      output_tokens: 0,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
    },
  });
  // The input of each run is item 1, then item 2 of history; the requests have seq 5 and 10.
  const first = [invoke, input("a"), asks(4), counted(5, 70), finished];
  const second = [invoke, input("b"), asks(9)];
  const cases: [string, EntryBody[], object | null][] = [
    ["stands once a run is over", first, { items: 1, tokens: 70, ...ofSample }],
    [
      "is that of the last answer",
      [...first, ...second, counted(10, 90)],
      { items: 2, tokens: 90, ...ofSample },
    ],
    [
      "is again what it was when the turn is rolled back",
      [...first, ...second, counted(10, 90), back(8)],
      { items: 1, tokens: 70, ...ofSample },
    ],
    [
      "is not what comes late of a turn that was rolled back",
      [...first, ...second, back(8), counted(10, 90)],
      { items: 1, tokens: 70, ...ofSample },
    ],
    ["is nothing before the first answer", [invoke, input("a"), asks(4), back(3), counted(5, 70)], null],
  ];
  for (const [name, bodies, expected] of cases) {
    test(name, () => assert.deepEqual(replay(logOf(...bodies)).measured, expected));
  }
});

describe("submissions", () => {
  const third = (given: Parameters<typeof submissionDigest>[0]) => ({
    id: "3",
    seq: 3,
    digest: submissionDigest(given),
  });
  const a = third([{ type: "text", text: "a" }]);
  const cases: [string, EntryBody[], [string, object][]][] = [
    ["are known by the invoke of their run", [invoke, input("a", { submission: "s" })], [["s", a]]],
    [
      "keep their name when their turn is rolled back",
      [invoke, input("a", { submission: "s" }), back(3)],
      [["s", a]],
    ],
    [
      "of the inbox are known by their acceptance, also once they are delivered",
      [
        { kind: "inbox_accepted", item: notice("n"), submission: "s" },
        { kind: "system_item", item: notice("n"), delivers: 3 },
      ],
      [["s", third(notice("n"))]],
    ],
    [
      "are the first of their name",
      [invoke, input("a", { submission: "s" }), finished, invoke, input("b", { submission: "s" })],
      [["s", a]],
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
