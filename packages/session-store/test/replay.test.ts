/** The fold: every kind's effect, at every prefix. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  callId,
  type EntryBody,
  noProjection,
  type PauseReason,
  type SystemItemEntry,
  type Usage,
} from "@yoi/base";
import { createReplay, replay } from "../src/index.ts";
import { logOf } from "./support/log-of.ts";
import { sampleEntries, sampleStart } from "./support/sample-log.ts";

const usage = (input_tokens: number, output_tokens: number): Usage => ({
  input_tokens,
  output_tokens,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
});

const sampleRequest = sampleEntries.find((entry) => entry.kind === "llm_request") as EntryBody & {
  kind: "llm_request";
};
const { wire } = sampleRequest;
const request = (seq: number, items: number): EntryBody => ({
  ...sampleRequest,
  through: seq - 1,
  items,
  wire: { ...wire, bytes: 40 },
});
/** What every measure of it says beside the counts. */
const ofSample = { model: "anthropic/claude-x", head_bytes: 58 };
const said = (requestSeq: number, index: number, text: string): EntryBody => ({
  kind: "assistant_item",
  request: requestSeq,
  index,
  item: { type: "assistant_message", text, status: "completed" },
});
const called = (requestSeq: number, index: number): EntryBody => ({
  kind: "assistant_item",
  request: requestSeq,
  index,
  item: { type: "tool_call", call: callId(requestSeq, index), name: "Bash", arguments: "{}" },
});
const result = (requestSeq: number, index: number): EntryBody => ({
  kind: "tool_result",
  item: {
    type: "tool_result",
    call: callId(requestSeq, index),
    name: "Bash",
    summary: "ok",
    is_error: false,
  },
});
const piece = (requestSeq: number, index: number, from: number, text: string): EntryBody => ({
  kind: "assistant_partial",
  request: requestSeq,
  index,
  block: "text",
  from,
  text,
});
const counted = (requestSeq: number, input: number, output: number) => ({
  kind: "llm_usage" as const,
  request: requestSeq,
  usage: usage(input, output),
  finish: "stop" as const,
});

test("the sample log's end state", () => {
  const state = replay(sampleEntries);
  assert.deepEqual(
    {
      session: state.session,
      segment: state.segment,
      prompt: state.prompt,
      documents: state.documents,
      config: state.config,
      tools: state.tools.map((tool) => tool.name),
      items: state.items.map(({ seq, item }) => [seq, item.type]),
      lastSeq: state.lastSeq,
      epoch: state.epoch,
      turnCount: state.turnCount,
      unanswered: state.unanswered,
      partials: state.partials,
      measured: state.measured,
      run: state.run,
      usage: state.usage,
      cost: state.cost,
    },
    {
      session: sampleStart.session_id,
      segment: sampleStart.segment_id,
      prompt: sampleStart.prompt,
      documents: sampleStart.documents,
      config: { model: "openai/gpt-x", max_output_tokens: 8192, temperature: 0.5, reasoning: "high" },
      tools: ["Bash"],
      items: [
        [5, "user_message"],
        [6, "system_item"],
        [10, "reasoning"],
        [11, "assistant_message"],
        [12, "tool_call"],
        [13, "tool_call"],
        [16, "tool_result"],
        [17, "tool_result"],
        [23, "assistant_message"],
        [25, "system_item"],
        [27, "assistant_message"],
        [32, "user_message"],
      ],
      lastSeq: 33,
      epoch: 2,
      turnCount: 1,
      unanswered: [],
      partials: [],
      measured: { items: 11, tokens: 1140, model: "anthropic/claude-x", head_bytes: 180 },
      run: { state: "idle" },
      usage: {
        input_tokens: 2000,
        output_tokens: 120,
        cache_read_tokens: 0,
        cache_write_tokens: 24,
        reasoning_tokens: 10,
      },
      // A log from before prices were known, and one of its three requests died with its process.
      cost: { nano_usd: 0, unpriced_requests: 3 },
    },
  );
});

test("cost is the sum of what requests say of it, and a count of those that say nothing", () => {
  const usageEntry = counted(3, 10, 2);
  const priced = (cost_nano_usd: number) => ({ ...usageEntry, cost_nano_usd });
  assert.deepEqual(replay(logOf(request(3, 0), priced(1200), usageEntry, priced(0), priced(34))).cost, {
    nano_usd: 1234,
    unpriced_requests: 1,
  });
});

test("a request is one of unknown cost until its own counts come, and for ever when its process died", () => {
  const priced = (seq: number, cost_nano_usd: number) => ({ ...counted(seq, 10, 2), cost_nano_usd });
  const reopened: EntryBody = { kind: "opened", epoch: 2, version: "0.1.0" };
  const rows: readonly [name: string, log: readonly EntryBody[], nano: number, unpriced: number][] = [
    ["on its way", [request(3, 0)], 0, 1],
    ["counted", [request(3, 0), priced(3, 70)], 70, 0],
    ["counted as free", [request(3, 0), priced(3, 0)], 0, 0],
    ["without counts", [request(3, 0), counted(3, 0, 0)], 0, 1],
    ["an attempt, and then on its way", [request(3, 0), { ...priced(3, 50), attempt: 1 }], 50, 1],
    ["attempts and the last", [request(3, 0), { ...priced(3, 50), attempt: 1 }, priced(3, 70)], 120, 0],
    ["died", [request(3, 0), reopened], 0, 1],
    ["died, and another was sent", [request(3, 0), reopened, request(5, 0), priced(5, 70)], 70, 1],
    ["two died", [request(3, 0), request(4, 0), request(5, 0), priced(5, 70)], 70, 2],
    ["counts of an older request settle nothing", [request(3, 0), request(4, 0), priced(3, 70)], 70, 2],
  ];
  for (const [name, log, nano_usd, unpriced_requests] of rows)
    assert.deepEqual(replay(logOf(...log)).cost, { nano_usd, unpriced_requests }, name);
});

test("pauses for a provider or the network count until a whole answer, others never", () => {
  const paused = (reason: PauseReason): EntryBody => ({ kind: "run_paused", reason });
  const rows: readonly [readonly EntryBody[], number][] = [
    [[], 0],
    [[paused("provider_limit")], 1],
    [[paused("network"), { kind: "invoke", trigger: "resume" }, paused("provider_limit")], 2],
    [(["user", "hook", "yield", "interrupted"] as const).map(paused), 0],
    [[paused("network"), { kind: "turn_end", turn_count: 1 }], 0],
    [[paused("network"), { kind: "turn_end", turn_count: 1 }, paused("network")], 1],
  ];
  for (const [bodies, expected] of rows) assert.equal(replay(logOf(...bodies)).pausesInRow, expected);
});

test("only the last attempt measures the context, and only with an answer or counts", () => {
  const open = [request(3, 0), counted(3, 800, 20), request(5, 0)];
  const before = { items: 0, tokens: 820, ...ofSample };
  const rows: readonly [readonly EntryBody[], object][] = [
    [[{ ...counted(5, 900, 9), attempt: 1 }], before],
    [[counted(5, 0, 0)], before],
    [[counted(5, 900, 9)], { items: 0, tokens: 909, ...ofSample }],
    // An answer that nobody counted is whole all the same.
    [[said(5, 0, "a"), counted(5, 0, 0)], { items: 1, tokens: 0, ...ofSample }],
  ];
  for (const [more, measured] of rows) assert.deepEqual(replay(logOf(...open, ...more)).measured, measured);
  const blocks = replay(logOf(...open, piece(5, 0, 0, "ab"), { ...counted(5, 9, 9), attempt: 1 }));
  assert.equal(blocks.partials.length, 1);
});

test("folding entry by entry is folding each prefix", () => {
  const live = createReplay();
  for (const [index, entry] of sampleEntries.entries()) {
    live.apply(entry);
    const whole = replay(sampleEntries.slice(0, index + 1));
    assert.deepEqual({ ...live.state, items: [...live.state.items] }, { ...whole, items: [...whole.items] });
    assert.deepEqual(
      [live.state.unanswered, live.state.partials, live.state.config, live.state.cost],
      [whole.unanswered, whole.partials, whole.config, whole.cost],
    );
  }
});

describe("calls", () => {
  test("stay unanswered, in call order, until their result", () => {
    const log = logOf(
      request(3, 0),
      called(3, 0),
      called(3, 1),
      called(3, 2),
      { kind: "tool_started", call: callId(3, 1) },
      result(3, 0),
    );
    const call = (index: number, started: boolean) => ({
      call: callId(3, index),
      name: "Bash",
      arguments: "{}",
      started,
    });
    assert.deepEqual(replay(log).unanswered, [call(1, true), call(2, false)]);
    assert.deepEqual(replay(logOf(request(3, 0), called(3, 0), called(3, 1))).unanswered, [
      call(0, false),
      call(1, false),
    ]);
  });
});

describe("partial blocks", () => {
  const block = (requestSeq: number, index: number, text: string) => ({
    request: requestSeq,
    index,
    block: "text" as const,
    text,
  });
  const cases: [string, EntryBody[], ReturnType<typeof block>[]][] = [
    [
      "pieces are joined",
      [request(3, 0), piece(3, 0, 0, "ab"), piece(3, 1, 0, "x"), piece(3, 0, 2, "cd")],
      [block(3, 0, "abcd"), block(3, 1, "x")],
    ],
    [
      "a retried stream begins again",
      [request(3, 0), piece(3, 0, 0, "abcd"), piece(3, 0, 0, "AB")],
      [block(3, 0, "AB")],
    ],
    [
      "text after a lost piece is left out",
      [request(3, 0), piece(3, 0, 0, "ab"), piece(3, 0, 4, "ef")],
      [block(3, 0, "ab")],
    ],
    [
      "the finished item takes the place of its own pieces only",
      [request(3, 0), piece(3, 0, 0, "a"), piece(3, 1, 0, "b"), said(3, 0, "a!")],
      [block(3, 1, "b")],
    ],
    ["usage means the answer is whole", [request(3, 0), piece(3, 0, 0, "a"), counted(3, 1, 1)], []],
    ["a later request closes the door", [request(3, 0), piece(3, 0, 0, "a"), request(5, 0)], []],
    [
      "a pause keeps them",
      [request(3, 0), piece(3, 0, 0, "a"), { kind: "run_paused", reason: "interrupted" }],
      [block(3, 0, "a")],
    ],
  ];
  for (const [name, bodies, expected] of cases) {
    test(name, () => assert.deepEqual(replay(logOf(...bodies)).partials, expected));
  }
});

describe("run state", () => {
  const invoke: EntryBody = { kind: "invoke", trigger: "user_send" };
  const pause: EntryBody = { kind: "run_paused", reason: "provider_limit", detail: "429", until: 9 };
  const cases: [string, EntryBody[], object][] = [
    ["nothing yet", [], { state: "idle" }],
    ["invoked", [invoke], { state: "running", since: 3 }],
    [
      "paused",
      [invoke, pause],
      { state: "paused", since: 4, reason: "provider_limit", detail: "429", until: 9 },
    ],
    [
      "paused without more",
      [invoke, { kind: "run_paused", reason: "user" }],
      { state: "paused", since: 4, reason: "user", detail: "", until: null },
    ],
    ["resumed", [invoke, pause, { kind: "invoke", trigger: "resume" }], { state: "running", since: 5 }],
    ["completed", [invoke, { kind: "run_completed", result: "finished" }], { state: "idle" }],
    ["errored", [invoke, { kind: "run_errored", code: "model_failed", message: "m" }], { state: "idle" }],
    [
      "opened by another process",
      [invoke, { kind: "opened", epoch: 2, version: "0.1.0" }],
      { state: "running", since: 3 },
    ],
  ];
  for (const [name, bodies, expected] of cases) {
    test(name, () => assert.deepEqual(replay(logOf(...bodies)).run, expected));
  }
});

describe("measured context", () => {
  const note: SystemItemEntry = {
    kind: "system_item",
    item: { type: "system_item", kind: "notification", source: "host", body: "n" },
  };
  const cases: [string, EntryBody[], object | null][] = [
    ["none before the first usage", [note, request(4, 1)], null],
    [
      "covers the request and its answer",
      [note, request(4, 1), said(4, 0, "a"), said(4, 1, "b"), counted(4, 10, 5)],
      { items: 3, tokens: 15, ...ofSample },
    ],
    [
      "not what came after",
      [note, request(4, 1), said(4, 0, "a"), counted(4, 10, 5), note],
      { items: 2, tokens: 15, ...ofSample },
    ],
    [
      "an empty answer covers the request",
      [note, request(4, 1), counted(4, 10, 0)],
      { items: 1, tokens: 10, ...ofSample },
    ],
    [
      "covers blank items too, which a request leaves out and does not count",
      [note, { ...note, item: { ...note.item, body: " " } }, request(5, 1), counted(5, 10, 0)],
      { items: 2, tokens: 10, ...ofSample },
    ],
    [
      "usage of an older request counts tokens, and measures nothing",
      [note, request(4, 1), request(5, 1), counted(4, 10, 0)],
      null,
    ],
  ];
  const cut: EntryBody = { ...sampleRequest, through: 3, items: 1 };
  cases.push([
    "a count of fewer tokens than such a body can be measures nothing, but that the answer is whole",
    [note, cut, said(4, 0, "a"), counted(4, 255, 5)],
    { items: 2, tokens: 0, ...ofSample },
  ]);
  cases.push([
    "and one that it can be is taken",
    [note, cut, said(4, 0, "a"), counted(4, 256, 5)],
    { items: 2, tokens: 261, ...ofSample },
  ]);
  for (const [name, bodies, expected] of cases) {
    test(name, () => assert.deepEqual(replay(logOf(...bodies)).measured, expected));
  }
});

test("an unknown kind changes nothing but the last seq", () => {
  const state = replay(logOf({ kind: "later", opaque: true, fields: {} }));
  assert.deepEqual([state.lastSeq, state.items.length], [3, 0]);
});

test("entries out of order, and a fold without a start, are bugs and throw", () => {
  const [start, ready, opened] = logOf();
  assert.ok(start !== undefined && ready !== undefined && opened !== undefined);
  assert.throws(() => replay([ready]), /applied after/);
  assert.throws(() => replay([start, opened]), /applied after/);
  assert.throws(() => replay([{ ...ready, seq: 0 }]), /segment_ready/);
  assert.throws(() => replay([start, { ...start, seq: 1 }]), /segment_start/);
  assert.throws(() => createReplay().state.prompt, /no segment_start/);
});

test("a projection holds for every request behind it", () => {
  const fold = createReplay();
  for (const entry of sampleEntries) fold.apply(entry);
  assert.deepEqual(fold.state.projection, noProjection);
  const { lastSeq: batch } = fold.state;
  const projection = { prune_before: null, reasoning_before: 7 };
  const body = { kind: "projection", projection, reason: "reasoning_refused", message: "no" } as const;
  fold.apply({ ...body, seq: batch + 1, batch, ts: 1 });
  fold.apply({ kind: "invoke", trigger: "resume", seq: batch + 2, batch, ts: 2 });
  assert.deepEqual(fold.state.projection, projection);
});

test("what nobody counts is spent by the estimate of its request, once for each sending; what is counted or was refused is not", () => {
  const estimate = { tokens: 100, cost_nano_usd: 7 };
  const asks = (seq: number): EntryBody => ({ ...sampleRequest, through: seq - 1, items: 0, estimate });
  const spentOf = (...bodies: EntryBody[]) => {
    const { estimated_tokens = 0, estimated_cost_nano_usd = 0 } = replay(logOf(...bodies)).spent;
    return [estimated_tokens, estimated_cost_nano_usd];
  };
  const refused: EntryBody = { ...counted(3, 0, 0), cost_nano_usd: 0 };
  const rows: readonly [readonly EntryBody[], number][] = [
    [[asks(3)], 1],
    [[asks(3), counted(3, 0, 0)], 1],
    [[asks(3), counted(3, 10, 1)], 0],
    [[asks(3), refused], 0],
    [[asks(3), { ...counted(3, 0, 0), attempt: 1 }], 2],
    [[asks(3), { ...counted(3, 0, 0), attempt: 1 }, counted(3, 10, 1)], 1],
    [[asks(3), asks(4), counted(4, 10, 1)], 1],
    [[asks(3), asks(4), asks(5)], 3],
    // An older log says nothing of it.
    [[request(3, 0), request(4, 0)], 0],
  ];
  for (const [bodies, times] of rows) assert.deepEqual(spentOf(...bodies), [100 * times, 7 * times]);
});
