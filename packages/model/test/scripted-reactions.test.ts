/** What is due in a scenario with reactions: whatever order the news comes in, each is answered, and a restored Pod goes on where it was. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type CommittedItem, type Item } from "@yoi/base";
import { parseScenario } from "../src/scripted/parse.ts";
import { dueStep } from "../src/scripted/reactions.ts";

const scenario = parseScenario(
  "team.yaml",
  `
steps:
  - {name: begin, tool_calls: [{name: Bash, arguments: {}}]}
  - {name: began, text: Begun.}
  - {name: more, text: More.}
reactions:
  - to: [report, alpha]
    steps:
      - {name: review, tool_calls: [{name: Bash, arguments: {}}]}
      - {name: asked, text: Asked.}
  - to: [approve, twice]
    once: true
    steps:
      - {name: only, tool_calls: [{name: Bash, arguments: {}}]}
      - {name: said, text: Said.}
  - to: approve
    steps:
      - {name: fetch, tool_calls: [{name: Bash, arguments: {}}]}
otherwise: {name: nothing, text: Noted.}
`,
);

const user: Item = { type: "user_message", parts: [{ type: "text", text: "go" }] };
const text: Item = { type: "assistant_message", text: "t", status: "completed" };
const call: Item = { type: "tool_call", call: callId(4, 0), name: "Bash", arguments: "{}" };
const result: Item = {
  type: "tool_result",
  call: callId(4, 0),
  name: "Bash",
  summary: "report of alpha, approve",
  is_error: false,
};
const interrupt: Item = { type: "system_item", kind: "interrupt", source: "host", body: "report alpha" };
const news = (body: string): Item => ({ type: "system_item", kind: "notification", source: "x", body });
const report = news("the report of alpha");
const approve = news("approve");
const twice = news("approve twice");
const other = news("beta ended");

/** Two entries apart, but for a note that is right behind what it is about. */
function at(...sequence: Item[]): CommittedItem[] {
  let seq = 0;
  return sequence.map((item) => ({ seq: item === interrupt ? (seq += 1) : (seq += 2), item }));
}

const cases: [what: string, items: CommittedItem[], step: string, attempt: number][] = [
  ["the first request", at(user), "1 (begin)", 0],
  ["behind its call", at(user, call, result), "2 (began)", 0],
  ["the second input", at(user, call, result, text, user), "3 (more)", 0],
  ["news that nobody waits for", at(user, call, result, text, other), "1 (nothing)", 0],
  ["news that somebody waits for", at(user, call, result, text, report), "1 (review)", 0],
  ["a part of what it is to contain", at(user, call, result, text, news("a report")), "1 (nothing)", 0],
  ["the answer to it goes on", at(user, call, result, text, report, call, result), "2 (asked)", 0],
  ["the same news again", at(user, call, result, text, report, call, result, text, report), "1 (review)", 0],
  ["news within a thread leaves its last word out", at(user, call, result, report), "1 (review)", 0],
  [
    "and the list goes on behind that word",
    at(user, call, result, report, call, result, text, user),
    "3 (more)",
    0,
  ],
  ["two at once, in their order", at(user, call, result, text, report, approve), "1 (review)", 0],
  ["then the second", at(user, call, result, text, report, approve, call, result), "1 (fetch)", 0],
  ["a reaction without a last word", at(user, call, result, text, approve, call, result), "1 (nothing)", 0],
  ["news that is answered once", at(user, call, result, text, twice), "1 (only)", 0],
  ["once, and not done yet", at(user, call, result, text, twice, call, result), "2 (said)", 0],
  [
    "its second time is another's",
    at(user, call, result, text, twice, call, result, text, twice),
    "1 (fetch)",
    0,
  ],
  ["also while the first is answered", at(user, call, result, twice, twice, call, result), "1 (fetch)", 0],
  ["a broken answer to it", at(user, call, result, text, twice, text, interrupt), "1 (only)", 1],
  ["a broken answer", at(user, call, result, text, report, text, interrupt), "1 (review)", 1],
  ["an input behind the last step", at(user, call, result, text, user, text, user), "", 0],
];

test("which step is due", () => {
  for (const [what, items, step, attempt] of cases) {
    const due = dueStep(items, scenario);
    assert.deepEqual([due.step?.name ?? "", due.attempt], [step, attempt], what);
  }
});

test("what a tool says begins nothing, and neither does the host's note of a cut", () => {
  assert.equal(dueStep(at(user, call, result), scenario).step?.name, "2 (began)");
});

test("mistakes in reactions are told with their line", () => {
  const table: [yaml: string, message: RegExp][] = [
    ["steps: []\nreactions:\n  - {steps: []}", /line 3.*needs to/],
    ["steps: []\nreactions:\n  - {to: '', steps: []}", /line 3.*must name/],
    ["steps: []\notherwise: {text: a}", /line 2.*reactions/],
    ["steps: []\nreactions:\n  - {to: a, steps: [], when: b}", /line 3.*when/],
    ["steps: []\nreactions:\n  - {to: a, steps: [], once: b}", /line 3.*once/],
  ];
  for (const [yaml, message] of table) assert.throws(() => parseScenario("a.yaml", yaml), { message }, yaml);
});
