/** The stream's lines: what every entry kind says, what a slow or gone reader gets, and lines that no reader splits. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callId, type Entry, type EntryBody, type JsonObject } from "@yoi/base";
import type { Live } from "@yoi/protocol";
import { jsonLine } from "../../src/output/json-line.ts";
import {
  backlogBytesMax,
  EventStream,
  type LineSink,
  provisionalBacklogBytesMax,
} from "../../src/output/stream/event-stream.ts";
import { eventsOfEntry } from "../../src/output/stream/record-events.ts";

function stored(body: EntryBody, seq = 7): Entry {
  return { ...body, seq, batch: seq, ts: 100 + seq };
}

function recorder() {
  const sink = { waitingBytes: 0, gone: false, lines: [] as JsonObject[] };
  const lines: LineSink = {
    write: (line) => void sink.lines.push(JSON.parse(line) as JsonObject),
    get waitingBytes() {
      return sink.waitingBytes;
    },
    get gone() {
      return sink.gone;
    },
  };
  return { sink, stream: new EventStream(lines) };
}

const at = { seq: 7, ts: 107 };
const call = callId(4, 1);

const digest = "0123456789abcdef".repeat(4);

const records: readonly (readonly [EntryBody, readonly object[]])[] = [
  [
    { kind: "approval_asked", call, digest, reason: "a rule wants it", expires: 900 },
    [{ type: "approval_asked", ...at, call, digest, reason: "a rule wants it", expires_ms: 900 }],
  ],
  [
    { kind: "approval_answered", call, digest, answer: "allow" },
    [{ type: "approval_answered", ...at, call, digest, answer: "allow", reason: null }],
  ],
  [
    { kind: "approval_answered", call, digest, answer: "deny", reason: "no" },
    [{ type: "approval_answered", ...at, call, digest, answer: "deny", reason: "no" }],
  ],
  [
    {
      kind: "tool_result",
      item: { type: "tool_result", call, name: "Bash", summary: "No.", is_error: true, refusal: "denied" },
    },
    [
      { type: "denied", ...at, call, name: "Bash", kind: "denied", reason: "No." },
      {
        type: "tool_result",
        ...at,
        call,
        name: "Bash",
        is_error: true,
        summary: "No.",
        content: null,
        images: [],
      },
    ],
  ],
  [
    {
      kind: "tool_result",
      item: {
        type: "tool_result",
        call,
        name: "Read",
        summary: "A picture.",
        is_error: false,
        images: [{ type: "image", media_type: "image/png", data: "AAAA" }],
      },
    },
    [
      {
        type: "tool_result",
        ...at,
        call,
        name: "Read",
        is_error: false,
        summary: "A picture.",
        content: null,
        images: [{ media_type: "image/png", base64_chars: 4 }],
      },
    ],
  ],
  [
    {
      kind: "assistant_item",
      request: 4,
      index: 0,
      item: {
        type: "reasoning",
        text: "Hm",
        status: "completed",
        provider_data: { provider: "p", metadata: { signature: "secret" } },
      },
    },
    [{ type: "reasoning", ...at, request: 4, index: 0, text: "Hm", status: "completed" }],
  ],
  [
    {
      kind: "llm_usage",
      request: 4,
      finish: "stop",
      cost_nano_usd: 4_200_000,
      usage: {
        input_tokens: 1,
        output_tokens: 2,
        cache_read_tokens: 0,
        cache_write_tokens: 0,
        reasoning_tokens: 0,
      },
    },
    [
      {
        type: "usage",
        ...at,
        request: 4,
        attempt: null,
        finish: "stop",
        usage: {
          input_tokens: 1,
          output_tokens: 2,
          cache_read_tokens: 0,
          cache_write_tokens: 0,
          reasoning_tokens: 0,
        },
        cost_usd: 0.0042,
      },
    ],
  ],
  [
    { kind: "run_errored", code: "auth", message: "No key." },
    [{ type: "run_end", ...at, end: "errored", reason: "auth", detail: "No key.", resume_after_ms: null }],
  ],
  [
    { kind: "run_paused", reason: "hook", detail: "wait", until: 5 },
    [{ type: "run_end", ...at, end: "paused", reason: "hook", detail: "wait", resume_after_ms: 5 }],
  ],
  [{ kind: "opened", epoch: 1, version: "0" }, []],
  [{ kind: "assistant_partial", request: 4, index: 0, block: "text", from: 0, text: "a" }, []],
];

describe("what an entry says", () => {
  for (const [body, events] of records)
    test(`${body.kind} is ${events.length} line(s)`, () => {
      assert.deepEqual(eventsOfEntry(stored(body)), events);
    });
});

describe("a reader", () => {
  const delta = { type: "delta", provisional: true, request: 4, index: 0, block: "text", text: "x" } as const;
  const end = (seq: number) => ({ type: "turn_end", seq, ts: 1, turn_count: 1 }) as const;
  const size = (event: object) => Buffer.byteLength(jsonLine({ schema_version: 1, ...event }));

  test("that keeps up gets everything, type and version first", () => {
    const { sink, stream } = recorder();
    stream.put(delta);
    stream.committed([stored({ kind: "turn_end", turn_count: 3 })]);
    stream.end({ type: "result" });
    assert.deepEqual(sink.lines, [
      { type: "delta", schema_version: 1, provisional: true, request: 4, index: 0, block: "text", text: "x" },
      { type: "turn_end", schema_version: 1, seq: 7, ts: 107, turn_count: 3 },
      { type: "result" },
    ]);
  });

  for (const [what, event, max] of [
    ["provisional lines", delta, provisionalBacklogBytesMax],
    ["records", end(9), backlogBytesMax],
  ] as const) {
    test(`that is slow gets ${what} up to the limit, and not beyond`, () => {
      for (const [over, expected] of [
        [0, 1],
        [1, 0],
      ] as const) {
        const { sink, stream } = recorder();
        sink.waitingBytes = max - size(event) + over;
        stream.put(event);
        assert.equal(sink.lines.length, expected);
      }
    });
  }

  test("that is slow is told where and what was left out, once there is room again", () => {
    const { sink, stream } = recorder();
    sink.waitingBytes = backlogBytesMax;
    for (const event of [delta, delta, end(9), { type: "turn", turn: 2 } as const, end(12)])
      stream.put(event);
    assert.deepEqual(sink.lines, []);
    sink.waitingBytes = 0;
    stream.put(end(13));
    stream.end({ type: "result" });
    assert.deepEqual(sink.lines, [
      { type: "gap", schema_version: 1, provisional: 2, other: 3, first_seq: 9, last_seq: 12 },
      { type: "turn_end", schema_version: 1, seq: 13, ts: 1, turn_count: 1 },
      { type: "result" },
    ]);
  });

  test("that never reads again gets the gap and the result, whatever waits", () => {
    const { sink, stream } = recorder();
    sink.waitingBytes = 2 * backlogBytesMax;
    stream.put(delta);
    stream.end({ type: "result" });
    assert.deepEqual(
      sink.lines.map(({ type, first_seq }) => [type, first_seq]),
      [
        ["gap", null],
        ["result", undefined],
      ],
    );
  });

  test("that has nothing waiting gets a line of any size", () => {
    const { sink, stream } = recorder();
    stream.put({ ...delta, text: "x".repeat(2 * provisionalBacklogBytesMax) });
    assert.equal(sink.lines.length, 1);
  });

  test("that is gone gets nothing more", () => {
    const { sink, stream } = recorder();
    sink.gone = true;
    stream.put(delta);
    stream.end({ type: "result" });
    assert.deepEqual(sink.lines, []);
  });
});

test("what is live is said as it is, and the first turn is 1", () => {
  const { sink, stream } = recorder();
  const lives: readonly Live[] = [
    { type: "state", state: "running" },
    { type: "turn", turn: 0 },
    { type: "block_start", request: 7, index: 2, block: "tool_call", name: "Bash" },
    { type: "delta", request: 7, index: 2, block: "tool_call", text: "{" },
    { type: "tool_start", call, name: "Bash", title: "$ ls" },
    { type: "tool_progress", call, text: "half" },
    { type: "continuation", request: 7, attempt: 1, attempts_max: 3, reason: "Cut." },
    { type: "alert", level: "warn", source: "lint", message: "careful", at: 5 },
    { type: "shutdown" },
  ];
  for (const live of lives) stream.live(live);
  const head = { schema_version: 1 };
  assert.deepEqual(sink.lines, [
    { type: "turn", ...head, turn: 1 },
    {
      type: "block_start",
      ...head,
      provisional: true,
      request: 7,
      index: 2,
      block: "tool_call",
      name: "Bash",
    },
    { type: "delta", ...head, provisional: true, request: 7, index: 2, block: "tool_call", text: "{" },
    { type: "tool_progress", ...head, provisional: true, call, text: "half" },
    { type: "continuation", ...head, request: 7, attempt: 1, attempts_max: 3, reason: "Cut." },
    { type: "warning", ...head, level: "warn", source: "lint", text: "lint: careful" },
  ]);
});

test("a line ends at its LF for every reader, and reads back as what it was", () => {
  const text = "a\n\r\u0085\u2028\u2029\ud800\u0000é";
  const line = jsonLine({ text });
  assert.match(line, /^[^\n\r\u0085\u2028\u2029]*\n$/);
  assert.deepEqual(JSON.parse(line), { text });
});
