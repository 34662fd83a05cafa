/** The oracle of the kill tests: what the model saw and a client was told is there after a resume, once, in order, and explained. */
import assert from "node:assert/strict";
import type { AnswerBlock } from "../support/anthropic-answer.ts";
import { addedBlocks, type WireBlock } from "../support/wire-blocks.ts";
import type { LogLine } from "../support/stored-log.ts";
import { linesOf } from "../support/stored-log.ts";
import type { Plan } from "./plan.ts";
import type { SeenRequest } from "./scene.ts";

/** What a killed and resumed Pod has left behind, once its run is over. */
export interface Story {
  readonly plan: Plan;
  readonly seen: readonly SeenRequest[];
  /** The committed log after each process, the last one whole. */
  readonly logs: readonly Buffer[];
  readonly effects: readonly string[];
  readonly processes: readonly { readonly stdout: string; readonly stderr: string }[];
}

export function checkStory(story: Story): void {
  checkLogs(story.logs);
  const log = linesOf(story.logs.at(-1) ?? Buffer.alloc(0));
  checkRequests(story, log);
  checkCalls(log);
  checkEffects(story);
  checkTold(story, log);
}

/** What one process left stands at the beginning of what the next one left. */
function checkLogs(logs: readonly Buffer[]): void {
  for (const [at, log] of logs.entries()) {
    const next = logs[at + 1];
    if (next === undefined) continue;
    assert.ok(next.subarray(0, log.length).equals(log), `the log of process ${at} was not kept to the byte`);
  }
}

/** Each request was on record before it was sent, and goes on from the one before with nothing but what came of it. */
function checkRequests({ plan, seen }: Story, log: readonly LogLine[]): void {
  assert.ok(seen.length >= plan.steps.length, "every step of the plan was asked for");
  const records = recordsOf(seen, log);
  for (const [at, request] of seen.entries()) {
    assert.ok(request.recordedBefore, `request ${at} was not in the log when the server had read it`);
    const seq = records[at];
    assert.ok(seq !== undefined, `request ${at} has no record of its own in the log`);
    const next = seen[at + 1];
    if (next === undefined) continue;
    assert.deepEqual(next.head, request.head, `request ${at + 1} has another head`);
    const added = addedBlocks(request.blocks, next.blocks);
    checkAdded({ plan, request, next, seq, log }, added);
  }
}

/**
 * The seq of each request's record. A request that was recorded and killed before it was sent is asked for again in the same bytes, so
 * the matching goes from the end: of equal ones the last was answered.
 */
function recordsOf(seen: readonly SeenRequest[], log: readonly LogLine[]): readonly (number | undefined)[] {
  const records = log.filter(({ kind }) => kind === "llm_request");
  return seen
    .toReversed()
    .map(({ sha256 }) => {
      const at = records.findLastIndex(({ wire }) => (wire as { sha256: string }).sha256 === sha256);
      return at === -1 ? undefined : records.splice(at)[0]?.seq;
    })
    .toReversed();
}

interface Step {
  readonly plan: Plan;
  readonly request: SeenRequest;
  readonly next: SeenRequest;
  /** Of the record of `request`. */
  readonly seq: number;
  readonly log: readonly LogLine[];
}

/** Either the whole answer with one result a call, or what was on record of a cut one, with a note that says so. */
function checkAdded(step: Step, added: readonly WireBlock[]): void {
  const { plan, request, next, seq, log } = step;
  const answer = plan.steps[request.step] ?? [];
  const said = added.filter(({ role }) => role === "assistant");
  const told = added.slice(said.length);
  assert.ok(
    told.every(({ role }) => role === "user"),
    `the answer to ${seq} is in one piece`,
  );
  const calls = answer.flatMap((block, index) =>
    block.type === "tool_call" ? [`call_${seq}_${index}`] : [],
  );
  if (said.some(({ type }) => type === "tool_use")) {
    const whole = answer.map((block, index) => wireForm(block, `call_${seq}_${index}`));
    assert.deepEqual(
      said.map(({ fields }) => fields),
      whole,
      `the answer to ${seq} is not what was said`,
    );
    const results = told.slice(0, calls.length).map(({ fields }) => fields["tool_use_id"]);
    assert.deepEqual(results, calls, `the calls of ${seq} have one result each, in their order`);
    checkNotes(told.slice(calls.length), request.process !== next.process);
    return;
  }
  assert.notEqual(request.process, next.process, `the answer to ${seq} was dropped without a kill`);
  const kept = recordedTexts(log, seq);
  assert.deepEqual(
    said.map(({ fields }) => fields["text"]),
    kept.texts,
    `what was on record of the answer to ${seq}`,
  );
  checkNotes(told, true);
  assert.equal(told.length > 0, kept.any, `a cut answer has a note that says so (request ${seq})`);
}

function checkNotes(blocks: readonly WireBlock[], killed: boolean): void {
  for (const { fields } of blocks) {
    assert.match(
      String(fields["text"]),
      /^<yoi-note id="\d+" kind="interrupt"/,
      "something that is no note follows the answer and its results",
    );
  }
  if (!killed) assert.equal(blocks.length, 0, "a note without a kill");
}

function wireForm(block: AnswerBlock, id: string): object {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "reasoning":
      return { type: "thinking", thinking: block.text, signature: block.signature };
    case "tool_call":
      return { type: "tool_use", id, name: block.name, input: block.arguments };
    case "redacted_reasoning":
      return { type: "redacted_thinking", data: block.data };
  }
}

/** The texts of the pieces that were recorded while the answer to `request` came, and whether there were any pieces at all. */
function recordedTexts(log: readonly LogLine[], request: number) {
  const pieces = log.filter((line) => line.kind === "assistant_partial" && line["request"] === request);
  const texts = new Map<unknown, string>();
  for (const { block, index, from, text } of pieces) {
    if (block !== "text") continue;
    const before = texts.get(index) ?? "";
    assert.equal(before.length, from, `the pieces of answer ${request} leave no gap`);
    texts.set(index, before + String(text));
  }
  return { texts: [...texts.values()], any: pieces.length > 0 };
}

/** Every call in the log has one result, every result its call. */
function checkCalls(log: readonly LogLine[]): void {
  const items = log.flatMap(({ item }) =>
    item === undefined ? [] : [item as { type: string; call: string }],
  );
  const callsOf = (type: string) => items.filter((item) => item.type === type).map(({ call }) => call);
  const calls = callsOf("tool_call");
  assert.equal(new Set(calls).size, calls.length, "no call stands there twice");
  assert.deepEqual(callsOf("tool_result").toSorted(), calls.toSorted(), "each call has one result");
  const started = log.filter(({ kind }) => kind === "tool_started").map(({ call }) => call);
  assert.equal(new Set(started).size, started.length, "no call was started twice");
}

/** An effect is there as its result says: once, never, or at most once where nobody saw the end. */
function checkEffects({ plan, seen, effects }: Story): void {
  const results = resultsOf(seen);
  for (const { line, step } of plan.intents) {
    const count = effects.filter((effect) => effect === line).length;
    const result = results.find(({ command }) => command.includes(`'${line}'`));
    assert.ok(result !== undefined, `the model was told what came of ${line}`);
    const allowed = result.isError ? (/^not executed/.test(result.text) ? [0] : [0, 1]) : [1];
    assert.ok(
      allowed.includes(count),
      `${line} (step ${step}) happened ${count} times; its result is: ${result.text}`,
    );
  }
  const known = new Set(plan.intents.map(({ line }) => line));
  assert.ok(
    effects.every((effect) => known.has(effect)),
    `effects that nobody asked for: ${effects.join()}`,
  );
}

interface SeenResult {
  readonly name: string;
  readonly command: string;
  readonly text: string;
  readonly isError: boolean;
}

/** What the last request says came of each call. */
function resultsOf(seen: readonly SeenRequest[]): readonly SeenResult[] {
  const blocks = seen.at(-1)?.blocks ?? [];
  return blocks.flatMap(({ type, fields }) => {
    if (type !== "tool_use") return [];
    const result = blocks.find((block) => block.fields["tool_use_id"] === fields["id"])?.fields;
    const command = String((fields["input"] as { command?: string }).command ?? "");
    const name = String(fields["name"]);
    return [{ name, command, text: String(result?.["content"]), isError: result?.["is_error"] === true }];
  });
}

/** Each result that a terminal showed is one that the model was told, and the answer that was printed is the one in the log, whole. */
function checkTold({ seen, processes }: Story, log: readonly LogLine[]): void {
  const results = resultsOf(seen).map(({ name, text, isError }) => ({ name, text, isError }));
  for (const { name, summary, isError } of processes.flatMap(({ stderr }) => toldResults(stderr))) {
    const at = results.findIndex(
      (result) => result.name === name && result.isError === isError && result.text.startsWith(summary),
    );
    assert.notEqual(at, -1, `a client was told "${name}: ${summary}", and the model was not`);
    results.splice(at, 1);
  }
  const answer = finalAnswer(log);
  for (const { stdout } of processes) {
    if (stdout !== "") assert.equal(stdout.trimEnd(), answer, `printed and not in the log: ${stdout}`);
  }
}

/** What the log ends in: what was kept of the last answer when it was cut, and what it went on with. */
function finalAnswer(log: readonly LogLine[]): string {
  const items = log.flatMap(({ item }) =>
    item === undefined ? [] : [item as { type: string; text?: string }],
  );
  const behind = items.slice(items.findLastIndex(({ type }) => type === "tool_result") + 1);
  return behind.map(({ type, text }) => (type === "assistant_message" ? (text ?? "") : "")).join("");
}

/** The lines about finished calls on a terminal. */
export function toldResults(stderr: string) {
  return stderr.split(/[\n\r]/).flatMap((line) => {
    // oxlint-disable-next-line no-control-regex
    const [, mark, name, summary] = /^(?:\u001b\[K)*([✓✗]) (\w+): (.*)$/.exec(line) ?? [];
    return name === undefined || summary === undefined ? [] : [{ name, summary, isError: mark === "✗" }];
  });
}
