/** The list that `-r` asks with: how many rows, how many tries, what is shown of a Pod, and which Pods are this directory's. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type Item } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { PodSummary } from "@yoi/pod";
import { dataDir, simulatedStores } from "../../../../test/support/simulated-pod.ts";
import { lastOwn, podsOf } from "../../src/commands/choose-pod.ts";
import { asksMax, choosePodOnTerminal, lastLineOf, rowsMax } from "../../src/commands/pod-picker.ts";

const pod = (name: string, usedMs = 0, workspace: string | null = "/w"): PodSummary => ({
  name,
  title: null,
  workspace,
  model: null,
  ownerPid: null,
  parent: null,
  isOrphan: false,
  children: [],
  peers: [],
  ownerPurpose: null,
  updatedMs: 0,
  usedMs,
  active: null,
  unreadable: null,
});

function stores() {
  const host = memoryHost({ seed: 1 });
  return { ...simulatedStores(host, new Map()), host, dataDir };
}

/** Answers one question after the other, and keeps them. */
function person(...answers: readonly (string | null)[]) {
  const questions: string[] = [];
  const ask = async (question: string) => {
    questions.push(question);
    return answers[questions.length - 1] ?? null;
  };
  return { ask, questions };
}

const many = (count: number) => Array.from({ length: count }, (_, index) => pod(`p${index + 1}`));

test("as many rows as the limit, and the rest is counted; the last row can be chosen, the next one cannot", async () => {
  for (const [count, older] of [
    [rowsMax, ""],
    [rowsMax + 1, "and 1 older ones"],
  ] as const) {
    const { ask, questions } = person(String(rowsMax + 1), String(rowsMax));
    assert.equal(await choosePodOnTerminal(many(count), stores(), ask), `p${rowsMax}`);
    const lines = (questions[0] ?? "").split("\n");
    assert.equal(lines.filter((line) => /^\d/.test(line)).length, rowsMax);
    assert.equal(lines.includes("and 1 older ones"), older !== "");
  }
});

test("a name is taken as well as a number; wrong ones are asked for again up to the limit", async () => {
  const { ask } = person("p9", " p2 ");
  assert.equal(await choosePodOnTerminal(many(3), stores(), ask), "p2");
  const wrong = person(...Array.from({ length: asksMax - 1 }, () => "0"), "1");
  assert.equal(await choosePodOnTerminal(many(3), stores(), wrong.ask), "p1");
  const hopeless = person(...Array.from({ length: asksMax }, () => "0"), "1");
  await assert.rejects(choosePodOnTerminal(many(3), stores(), hopeless.ask), { code: "usage" });
  assert.equal(hopeless.questions.length, asksMax);
  for (const nothing of ["", "  ", null])
    await assert.rejects(choosePodOnTerminal(many(3), stores(), person(nothing).ask), { code: "usage" });
});

test("a Pod whose log cannot be read is a row, and can be chosen", async () => {
  const { ask, questions } = person("1");
  assert.equal(await choosePodOnTerminal([pod("lost", Date.UTC(2026, 0, 2))], stores(), ask), "lost");
  assert.match(
    questions[0] ?? "",
    /^1 {2}lost {2}unreadable {2}2026-01-02 00:00 {2}There is no Pod named lost/m,
  );
});

test("the last line is what was said last, short, on one line, and cannot disturb the terminal", () => {
  const said = (text: string): Item => ({ type: "assistant_message", text, status: "completed" });
  const asked: Item = { type: "user_message", parts: [{ type: "text", text: "go\non" }] };
  const result: Item = {
    type: "tool_result",
    call: callId(1, 0),
    name: "Bash",
    summary: "$ ls",
    is_error: false,
  };
  const table: readonly (readonly [readonly Item[], string])[] = [
    [[], ""],
    [[asked], "on"],
    [[asked, said("one\n\ntwo\n"), result], "two"],
    [[asked, said("")], "on"],
    [[said("x".repeat(100))], "x".repeat(60)],
    [[said("\u001b[2Jred")], "\\u001b[2Jred"],
  ];
  for (const [items, line] of table) assert.equal(lastLineOf(items), line);
});

test("this directory's Pods, last used first; one used at the same time by name", () => {
  const pods = [pod("a", 1), pod("c", 3), pod("b", 3), pod("elsewhere", 9, "/x"), pod("damaged", 9, null)];
  assert.deepEqual(
    podsOf("/w", pods).map(({ name }) => name),
    ["b", "c", "a"],
  );
});

test("-c means no child, unless its parent is gone", () => {
  const child = { ...pod("child"), parent: "lead" };
  const orphan = { ...pod("orphan"), parent: "gone", isOrphan: true };
  const last = (...pods: readonly PodSummary[]) => lastOwn(pods)?.name;
  assert.deepEqual(
    [last(child), last(child, orphan), last(child, pod("own"), orphan)],
    [undefined, "orphan", "own"],
  );
});
