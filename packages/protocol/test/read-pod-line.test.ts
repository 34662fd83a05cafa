/** What a Pod says: everything comes back as it was said, what a later release adds is passed over, and what no Pod says is refused in one sentence. */
import assert from "node:assert/strict";
import test from "node:test";
import { jsonDepthMax } from "@yoi/base";
import {
  BadPodLine,
  encodeEntryLine,
  encodeLine,
  frameBytesMax,
  LineReader,
  LineTooLong,
  protocolErrorCodes,
  readPodLine,
  readResult,
} from "../src/index.ts";
import { answers, events, runEnds, view } from "./support/sample-lines.ts";

const read = (line: string | Uint8Array) => readPodLine(typeof line === "string" ? Buffer.from(line) : line);
const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof BadPodLine) return error.message;
    throw error;
  }
  return assert.fail("it was taken");
};

test("every event and every answer is read as it was said, and is one line", () => {
  for (const said of [...events, ...answers]) {
    const bytes = encodeLine(said);
    assert.equal(bytes.indexOf(0x0a), bytes.length - 1);
    assert.deepEqual([...new LineReader(frameBytesMax).take(bytes)].map(read), [said]);
  }
});

test("an entry that is JSON already makes the same line", () => {
  for (const said of events) {
    if (said.event !== "entry" || "opaque" in said.entry) continue;
    assert.deepEqual(encodeEntryLine(JSON.stringify(said.entry)), encodeLine(said));
  }
  const later = '{"seq":2,"batch":2,"ts":2,"kind":"later","opaque":1,"deep":[[{}]]}';
  const [said] = events.filter((event) => event.event === "entry" && "opaque" in event.entry);
  assert.ok(said !== undefined);
  assert.deepEqual(encodeEntryLine(later), encodeLine(said));
  assert.deepEqual(read(encodeEntryLine(later)), said);
});

test("fields that a later release adds are left out, but for those of entries", () => {
  assert.deepEqual(read('{"event":"live","n":1,"x":0,"live":{"type":"turn","turn":2,"x":0}}'), {
    event: "live",
    n: 1,
    live: { type: "turn", turn: 2 },
  });
  const entry = { seq: 0, batch: 0, ts: 1, kind: "invoke", trigger: "user_send", later: [1] };
  assert.deepEqual(read(JSON.stringify({ event: "entry", entry })), { event: "entry", entry });
});

test("events, live types, entry kinds and error codes of a later release are passed over, and numbers are kept", () => {
  assert.deepEqual(read('{"event":"weather","n":"x"}'), { event: "unknown", n: null });
  assert.deepEqual(read('{"event":"toString"}'), { event: "unknown", n: null });
  assert.deepEqual(read('{"event":"live","n":9,"live":{"type":"__proto__"}}'), { event: "unknown", n: 9 });
  assert.deepEqual(read(encodeEntryLine('{"seq":5,"batch":5,"ts":0,"kind":"constructor","a":1}')), {
    event: "entry",
    entry: { seq: 5, batch: 5, ts: 0, kind: "constructor", opaque: true, fields: { a: 1 } },
  });
  const error = (code: string, more = "") => `{"id":"1","error":{"code":"${code}","message":"m"${more}}}`;
  assert.deepEqual(read(error("too_early")), {
    id: "1",
    error: { code: "internal", message: "m", cause: "too_early" },
  });
  assert.deepEqual(read(error("too_early", ',"cause":"why"')), {
    id: "1",
    error: { code: "internal", message: "m", cause: "why" },
  });
  for (const code of protocolErrorCodes) {
    assert.deepEqual(read(error(code)), { id: "1", error: { code, message: "m" } });
  }
});

test("what no Pod says is refused in one sentence", () => {
  const live = (fields: object) => JSON.stringify({ event: "live", n: 1, live: fields });
  const end = (kind: object) => live({ type: "run_ended", run: { run: "1", end: kind } });
  const snapshot = (fields: object) => JSON.stringify({ event: "snapshot", view: { ...view, ...fields } });
  const rows: readonly (readonly [string, string])[] = [
    ["{}", "id is missing: it is to be a text."],
    ['{"id":"1"}', "result is missing: it is to be an object."],
    ['{"id":"1","result":5}', "result is to be an object, and is 5."],
    ['{"id":null,"result":{}}', "id is to be a text, and is null."],
    ['{"id":"1","error":{"code":"busy"}}', "error.message is missing: it is to be a text."],
    [
      '{"id":"1","error":{"code":"busy","message":"m","versions":["2"]}}',
      'error.versions[0] is to be a whole number, and is "2".',
    ],
    ['{"event":1}', "event is to be a text, and is 1."],
    ['{"event":"entry"}', "entry is missing: it is to be an object."],
    ['{"event":"entry","entry":{"seq":0}}', "entry.batch is missing: it is to be a whole number from 0 on."],
    [
      '{"event":"entry","entry":{"seq":-1,"batch":0,"ts":0,"kind":"opened"}}',
      "entry.seq is to be a whole number from 0 on, and is -1.",
    ],
    [
      '{"event":"entry","entry":{"seq":0,"batch":0,"ts":0,"kind":"opened","opaque":true}}',
      "entry.opaque is no field of opened.",
    ],
    [
      '{"event":"live","live":{"type":"turn","turn":1}}',
      "n is missing: it is to be a whole number from 0 on.",
    ],
    [live({}), "live.type is missing: it is to be a text."],
    [
      live({ type: "state", state: "asleep" }),
      'live.state is to be "idle", "running" or "paused", and is "asleep".',
    ],
    [
      end({ kind: "vanished" }),
      `live.run.end.kind is to be ${'"finished", "limit_reached", "paused", "yielded", "aborted", "cancelled", "rolled_back" or "failed"'}, and is "vanished".`,
    ],
    [
      live({ type: "delta", request: 1, index: 0, block: "text", text: null }),
      "live.text is to be a text, and is null.",
    ],
    [
      '{"event":"live","n":1,"live":{"type":"run_ended","run":{"run":"1","end":{"kind":"limit_reached","limit":"time","max":1e999}}}}',
      "live.run.end.max is to be a number, and is Infinity.",
    ],
    [snapshot({ alerts: [{ type: "other" }] }), 'view.alerts[0].type is to be "alert", and is "other".'],
    [snapshot({ about: { ...view.about, tools: [1] } }), "view.about.tools[0] is to be a text, and is 1."],
    ['{"event":"resync"}', "after is missing: it is to be an object."],
  ];
  for (const [line, sentence] of rows) {
    assert.equal(
      refusal(() => read(line)),
      `What the Pod says cannot be read: ${sentence}`,
    );
  }
});

test("an entry comes nested as deep as a log may hold it, and no deeper", () => {
  // The entry itself is one level, and its field another.
  const nested = (depth: number) =>
    encodeEntryLine(
      `{"seq":0,"batch":0,"ts":0,"kind":"later","x":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`,
    );
  read(nested(jsonDepthMax));
  assert.match(
    refusal(() => read(nested(jsonDepthMax + 1))),
    /nested deeper than/,
  );
});

test("what is too large for a frame is not made into a line", () => {
  const frame = '{"event":"entry","entry":}'.length;
  assert.equal(encodeEntryLine("1".repeat(frameBytesMax - frame)).length, frameBytesMax + 1);
  assert.throws(() => encodeEntryLine("1".repeat(frameBytesMax - frame + 1)), LineTooLong);
  const ping = (text: string) => encodeLine({ id: "1", method: "ping", params: { text } });
  const rest = ping("").length - 1;
  // Counted in bytes, not in characters.
  assert.equal(ping("é".repeat((frameBytesMax - rest) / 2)).length, frameBytesMax + 1 - (rest % 2));
  assert.throws(() => ping("é".repeat(frameBytesMax / 2)), LineTooLong);
});

test("the result of each method is read as it was said, and another's is refused", () => {
  const results = {
    hello: answers[0],
    show: answers[1],
    submit: answers[2],
    notify: answers[2],
    cancel: answers[3],
  };
  for (const [method, answer] of Object.entries(results)) {
    assert.ok(answer !== undefined && "result" in answer);
    const said = read(encodeLine(answer));
    assert.ok("result" in said);
    assert.deepEqual(readResult(method as keyof typeof results, said.result), answer.result);
  }
  assert.deepEqual(readResult("ping", { text: "a", x: 1 }), { text: "a" });
  // What it inherits is not in it.
  assert.deepEqual(readResult("ping", Object.create({ text: "a" })), {});
  assert.deepEqual(readResult("resume", { id: "1" }), { id: "1" });
  assert.deepEqual(readResult("answer_approval", { seq: 1 }), { seq: 1 });
  for (const action of ["already_live", "restored"] as const) {
    const restored = { action, socket: "/run/s/0123456789ab", warnings: ["w"] };
    assert.deepEqual(readResult("restore_pod", { ...restored, later: 1 }), restored);
  }
  assert.deepEqual([readResult("pod_event", {}), readResult("register_peer", { x: 1 })], [{}, {}]);
  assert.deepEqual([readResult("pause", {}), readResult("shutdown", { x: 1 })], [{}, {}]);
  assert.equal(
    refusal(() => readResult("submit", { id: "1" })),
    "The Pod's answer to submit cannot be read: result.duplicate is missing: it is to be true or false.",
  );
});

test("every end of a run is among the samples", () => {
  assert.equal(new Set(runEnds.map((end) => end.kind)).size, 8);
});

test("the places of a session, and what came of going back to one", () => {
  const target = {
    id: "2-57",
    side: "before",
    kind: "input",
    segment: "s",
    generation: 2,
    turn: 3,
    ts: 1,
    preview: "do it",
    effects: null,
  };
  const listed = { head: "2-114", targets: [target, { ...target, effects: 0 }], more: true };
  assert.deepEqual(readResult("list_rewind_targets", { ...listed, later: 1 }), listed);
  const rewound = {
    segment: "s",
    generation: 3,
    kept: "57",
    left: "2-114",
    turns: 3,
    input: [{ type: "text", text: "do it" }],
    effects: 1,
    touched: ["/w/a"],
    files: [
      { path: "/w/a", outcome: "not_kept", why: "No room." },
      { path: "/w/b", outcome: "restored" },
    ],
    files_lost: 1,
    again: 0,
  };
  for (const input of [rewound.input, null])
    assert.deepEqual(readResult("rewind", { ...rewound, input, later: 1 }), { ...rewound, input });
  assert.equal(
    refusal(() => readResult("rewind", { ...rewound, input: [{ type: "sound" }] })),
    'The Pod\'s answer to rewind cannot be read: result.input[0].type is to be "text", "file_ref" or "skill_ref", and is "sound".',
  );
});
