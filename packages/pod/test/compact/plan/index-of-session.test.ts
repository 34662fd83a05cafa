/** The index that a compactor begins with: bounded, newest first, with the ids by which it can ask for more. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Item, utf8Length } from "@yoi/base";
import { compactionIndex } from "../../../src/compact/plan/index-of-session.ts";
import { summaryItem } from "../../../src/compact/plan/summary.ts";
import { addInputs, noInputs, userInputsItem } from "../../../src/compact/plan/user-inputs.ts";
import { called, carriedOn, committed, inputOf, note, planned, said, user } from "./histories.ts";

const indexOf = (
  items: ReturnType<typeof committed>,
  overview = { target: 8_000, warning: 16_000, deadline: 40_000 },
) => compactionIndex(inputOf(items).state, { overview });

test("counts, messages newest first, the last calls; never what tools gave, or reasoning", () => {
  const items = committed([
    user("build it"),
    { type: "reasoning", text: "secret thought", status: "completed" },
    ...called(3, "SECRET CONTENT"),
    said("m".repeat(3_000)),
    note("a child is done"),
  ]);
  assert.equal(
    indexOf(items),
    [
      "History: 1 user message, 1 reasoning, 1 tool call, 1 tool result, 1 assistant message, 1 system item.",
      "The last input of the user:\n[1] user: build it",
      `Messages, newest first:\n[6] note (notification from host): a child is done\n[5] you: ${"m".repeat(1_988)}...`,
      'The last calls, oldest first:\n[3] Bash {"command":"ls 3"} -> ran 3',
    ].join("\n\n"),
  );
});

test("messages have room up to the target, their beginnings up to the warning size, the rest is counted; nothing is ever over the deadline", () => {
  const items = committed(
    Array.from({ length: 900 }, (_, at): Item =>
      at % 2 === 0 ? user(`u${at} ${"x".repeat(900)}`) : said(`a${at} ${"y".repeat(900)}`),
    ),
  );
  const text = indexOf(items, { target: 2_000, warning: 4_000, deadline: 40_000 });
  const [, last = "", whole = "", coarse = "", left = ""] = text.split("\n\n");
  const wholeLines = whole.split("\n").slice(1);
  const coarseLines = coarse.split("\n").slice(1);
  assert.match(last, /\n\[899\] user: u898 x{900}$/);
  assert.match(wholeLines[0] ?? "", /^\[900\] you: a899 y{900}$/);
  assert.ok(coarseLines.every((line) => utf8Length(line) === 240));
  assert.ok(utf8Length(whole) <= 8_000 && utf8Length(whole) + utf8Length(coarse) <= 16_000 + 100);
  assert.equal(
    left,
    `(${899 - wholeLines.length - coarseLines.length} older messages are not shown: SessionSearch and SessionRead have them)`,
  );
  for (const deadline of [1, 50, 100, 1_000]) {
    const short = indexOf(items, { target: deadline, warning: deadline, deadline });
    assert.ok(utf8Length(short) <= deadline * 4, `${utf8Length(short)} of ${deadline * 4}`);
  }
});

test("what an earlier compaction carried over stands first, so that its summary is gone on from", () => {
  const plan = planned(
    inputOf(committed([user("build it, never push"), said("a".repeat(60_000)), user("go"), said("ok")]), {
      summary: { text: "what was", constraints: ["never push"], withdrawn: [], currentWork: "", files: [] },
    }),
  );
  const text = indexOf([...carriedOn(plan), ...committed([said("new")], 50)]);
  assert.match(text, /The summary of what was before, which yours replaces:\n.*\nwhat was\n/);
  assert.match(
    text,
    /What the user demands or forbids so far, by number; it goes on by itself:\n1. never push\n/,
  );
  assert.match(
    text,
    /^History: 2 assistant message, 1 user message\.|^History: 1 user message, 2 assistant message\./,
  );
});

test("24 calls are told of, each on a line of at most 240 bytes", () => {
  const items = committed(Array.from({ length: 25 }, (_, at) => called(at, "c")).flat());
  const lines = indexOf(items).split("\n\n").at(-1)?.split("\n") ?? [];
  assert.deepEqual([lines.length, lines[1]], [25, '[3] Bash {"command":"ls 1"} -> ran 1']);
});

test("however much was carried over, half of the target is for what happened since: the last input whole, the newest answers, all demands by number", () => {
  const demands = Array.from({ length: 64 }, (_, at) => `demand ${at} ${"that is long ".repeat(20)}`);
  const asked = Array.from({ length: 40 }, (_, at) => user(`request ${at} ${"please do this ".repeat(100)}`));
  const before = [
    summaryItem({ byModel: "s".repeat(60_000), lines: [] }, 60_000, true),
    userInputsItem(addInputs(noInputs, committed(asked), { constraints: demands, withdrawn: [] }), 60_000),
  ].filter((item) => item !== null);
  const last = `Now this: ${"do it so. ".repeat(60)}`;
  const since = [
    user(last),
    ...Array.from({ length: 90 }, (_, at) => said(`finding ${at} ${"f".repeat(400)}`)),
  ];
  for (const deadline of [40_000, 8_000]) {
    const text = indexOf(committed([...before, ...since]), { target: 8_000, warning: 8_000, deadline });
    const sections = new Map(text.split("\n\n").map((part) => [part.slice(0, part.indexOf("\n")), part]));
    assert.match(text, new RegExp(`^\\[3\\] user: ${last.trim()}`, "m"));
    const messages = sections.get("Messages, newest first:") ?? "";
    assert.ok(utf8Length(messages) > 12_000, String(utf8Length(messages)));
    assert.match(messages, /^Messages, newest first:\n\[93\] you: finding 89 f{400}\n\[92\] /);
    const known =
      sections.get("What the user demands or forbids so far, by number; it goes on by itself:") ?? "";
    for (const at of demands.keys()) assert.match(known, new RegExp(`^${at + 1}\\. demand ${at} that`, "m"));
    assert.match(known, /\nWhat the user said before goes on by itself\. Its ids: 1, /);
    assert.ok(utf8Length(text) <= deadline * 4);
  }
});
