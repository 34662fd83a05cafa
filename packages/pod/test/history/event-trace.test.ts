/** The event trace: kinds, sizes and times of a run, nothing of what was said, and no way to hurt the run. */
import assert from "node:assert/strict";
import test from "node:test";
import { callId, type Entry, noUsage } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { TraceFile } from "@yoi/session-store";
import type { WorkerEvent } from "@yoi/worker";
import {
  effectTool,
  manifestOf,
  openSimulated,
  simulatedStores,
  World,
} from "../../../../test/support/simulated-pod.ts";
import { overriding } from "../../../../test/support/overriding.ts";
import { EventTrace, traceBacklogBytesMax, traceBytesMax } from "../../src/history/event-trace.ts";
import { lineOfEvent, linesOfBatch } from "../../src/history/trace-line.ts";
import { removePod } from "../../src/index.ts";

const canary = "CANARY";
const tools = new Set(["Bash"]);
const call = callId(7, 1);

const events: readonly (readonly [WorkerEvent, object | null])[] = [
  [{ type: "request_recorded", seq: 7 }, null],
  [
    { type: "turn_start", turn: 2 },
    { kind: "lifecycle", label: "turn_start", data: { turn: 2 } },
  ],
  [
    { type: "block_start", index: 0, block: "text" },
    { kind: "stream_event", label: "block_start", data: { index: 0, block: "text" } },
  ],
  [
    { type: "block_start", index: 1, block: "tool_call", name: "Bash" },
    { kind: "stream_event", label: "block_start", data: { index: 1, block: "tool_call", tool: "Bash" } },
  ],
  [
    { type: "block_start", index: 1, block: "tool_call", name: canary },
    { kind: "stream_event", label: "block_start", data: { index: 1, block: "tool_call", tool: null } },
  ],
  [
    { type: "block_delta", index: 0, block: "text", text: `${canary}é` },
    { kind: "stream_event", label: "block_delta", data: { index: 0, block: "text", bytes: 8 } },
  ],
  [
    {
      type: "retry",
      attempt: 1,
      attemptsMax: 4,
      waitMs: 20,
      failure: { kind: "overloaded", message: canary, status: 529, retryable: true },
    },
    {
      kind: "lifecycle",
      label: "retry",
      data: { attempt: 1, attempts_max: 4, wait_ms: 20, failure: "overloaded", status: 529 },
    },
  ],
  [
    { type: "continuation", attempt: 1, attemptsMax: 3, reason: canary },
    { kind: "lifecycle", label: "continuation", data: { attempt: 1, attempts_max: 3 } },
  ],
  [
    { type: "answer", request: 7, finish: "stop", usage: noUsage },
    { kind: "lifecycle", label: "answer", data: { request: 7, finish: "stop", usage: { ...noUsage } } },
  ],
  [
    { type: "text", text: canary },
    { kind: "lifecycle", label: "text", data: { bytes: 6 } },
  ],
  [
    { type: "tool_start", call, name: "Bash", title: canary },
    { kind: "lifecycle", label: "tool_start", data: { call, tool: "Bash" } },
  ],
  [
    { type: "tool_progress", call, text: canary },
    { kind: "lifecycle", label: "tool_progress", data: { call, bytes: 6 } },
  ],
  [
    {
      type: "tool_end",
      call,
      result: {
        type: "tool_result",
        call,
        name: "Bash",
        is_error: true,
        summary: canary,
        content: `${canary}é`,
      },
    },
    {
      kind: "lifecycle",
      label: "tool_end",
      data: { call, tool: "Bash", is_error: true, summary_bytes: 6, content_bytes: 8 },
    },
  ],
  [
    { type: "denied", call, name: canary, reason: canary },
    { kind: "lifecycle", label: "denied", data: { call, tool: null } },
  ],
  [
    { type: "warning", text: canary },
    { kind: "lifecycle", label: "warning", data: { bytes: 6 } },
  ],
];

for (const [event, expected] of events) {
  test(`the line of ${event.type} has its kind and sizes only`, () => {
    const line = lineOfEvent(event, tools);
    assert.deepEqual(line, expected);
    assert.ok(!JSON.stringify(line).includes(canary));
  });
}

test("a batch is traced by its place and kinds; requests and the ends of runs have lines of their own", () => {
  const at = (seq: number) => ({ seq, batch: seq, ts: 1 });
  const batch: readonly Entry[] = [
    { kind: "invoke", trigger: "user_send", ...at(4) },
    { kind: "user_input", parts: [{ type: "text", text: canary }], ...at(5) },
    { kind: "run_paused", reason: "user", detail: canary, ...at(6) },
    { kind: "run_completed", result: "aborted", detail: canary, ...at(7) },
    { kind: "run_errored", code: "auth", message: canary, ...at(8) },
  ];
  const line = (label: string, data: object) => ({ kind: "lifecycle", label, data });
  assert.deepEqual(linesOfBatch(batch), [
    line("committed", {
      first: 4,
      last: 8,
      kinds: ["invoke", "user_input", "run_paused", "run_completed", "run_errored"],
    }),
    line("run_start", { trigger: "user_send" }),
    line("run_end", { end: "paused", reason: "user" }),
    line("run_end", { end: "aborted" }),
    line("run_end", { end: "errored", code: "auth" }),
  ]);
});

const scenario = `
steps:
  - reasoning: ${canary} thinks.
    text: ${canary} says.
    tool_calls:
      - { name: Effect, arguments: { what: ${canary} } }
      - { name: ${canary}, arguments: {} }
  - text: ${canary} is done.
`;
const traced = manifestOf({ session: { record_event_trace: true } });
const untraced = manifestOf({ session: { record_event_trace: false } });
const input = [{ type: "text", text: canary }] as const;

function machine(seed = 1) {
  const host = memoryHost({ seed });
  return { host, leases: new Map(), tools: [effectTool(new World(), host)], scenario };
}

async function traceOf({ host }: ReturnType<typeof machine>): Promise<string | null> {
  const [session] = await host.files.list("/data/sessions");
  const names = await host.files.list(`/data/sessions/${session}`);
  const name = names.find((candidate) => candidate.includes(".trace."));
  if (name === undefined) return null;
  return Buffer.from((await host.files.read(`/data/sessions/${session}/${name}`)) ?? []).toString();
}

test("a traced run says every step and nothing of what was said; the log is the same as without", async () => {
  const m = machine();
  const pod = await openSimulated({ ...m, manifest: traced });
  assert.equal((await pod.submit(input)).outcome.kind, "finished");
  await pod.close();
  const text = (await traceOf(m)) ?? "";
  assert.ok(!text.includes(canary), text);
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { label: string; elapsed_ms: number; request: number | null });
  for (const label of ["run_start", "request_recorded", "block_start", "block_delta", "answer", "tool_start"])
    assert.ok(
      lines.some((line) => line.label === label),
      label,
    );
  assert.deepEqual(
    lines.slice(-2).map((line) => line.label),
    ["run_end", "closed"],
  );
  const times = lines.map((line) => line.elapsed_ms);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  assert.equal(lines[0]?.request, null);
  assert.ok(lines.every((line) => JSON.stringify(line).length < 1024));

  const plain = machine();
  const untracedPod = await openSimulated({ ...plain, manifest: untraced });
  await untracedPod.submit(input);
  await untracedPod.close();
  assert.equal(await traceOf(plain), null);
  const counts = await Promise.all(
    [m, plain].map(async ({ host, leases }) => {
      const { pods, sessions } = simulatedStores(host, leases);
      const [listing] = await pods.list();
      assert.ok(listing !== undefined && "record" in listing && listing.record.pointer.state === "active");
      const { entries } = await sessions.read(listing.record.pointer);
      return entries.map((entry) => entry.kind);
    }),
  );
  assert.deepEqual(counts[0], counts[1]);
});

test("it goes with its Pod", async () => {
  const m = machine();
  const pod = await openSimulated({ ...m, manifest: traced });
  await pod.submit(input);
  await pod.close();
  await removePod(simulatedStores(m.host, m.leases), "sim", async () => {});
  assert.deepEqual(await m.host.files.list("/data/sessions"), []);
});

/** A file that fails at its `failAt`-th append. */
function fakeFile(options: { bytes?: number; failAt?: number; blocked?: Promise<void> } = {}) {
  const written: string[] = [];
  let bytes = options.bytes ?? 0;
  const file: TraceFile = {
    path: "/data/x.trace.jsonl",
    get bytes() {
      return bytes;
    },
    append: async (lines) => {
      await options.blocked;
      if (written.length + 1 === options.failAt) throw new Error("the disk is full");
      written.push(lines);
      bytes += Buffer.byteLength(lines);
    },
    close: async () => {},
  };
  return { file, written };
}

async function openFake(file: TraceFile, warnings: string[] = []) {
  const { clock } = memoryHost({ seed: 1 });
  return EventTrace.open({
    open: async () => file,
    clock,
    tools: [],
    warn: (text) => void warnings.push(text),
  });
}
const event: WorkerEvent = { type: "text", text: "x" };
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a failed write is said once, ends the trace, and nothing more is written", async () => {
  const { file, written } = fakeFile({ failAt: 2 });
  const warnings: string[] = [];
  const trace = await openFake(file, warnings);
  for (let round = 0; round < 4; round += 1) {
    trace.observe(event);
    await settle();
  }
  await trace.close();
  assert.equal(written.length, 1);
  assert.deepEqual(warnings, [
    "The event trace /data/x.trace.jsonl is not written any further, and the run goes on: the disk is full",
  ]);
});

test("over a rotation each line goes into the file of its segment, also where the disk is slow", async () => {
  const slow = Promise.withResolvers<void>();
  const files = [fakeFile({ blocked: slow.promise }), fakeFile(), fakeFile()] as const;
  const trace = await openFake(files[0].file);
  const text = (bytes: number) => trace.observe({ type: "text", text: "x".repeat(bytes) });
  text(1);
  await settle();
  text(2);
  trace.rotated(async () => files[1].file);
  text(3);
  trace.rotated(async () => files[2].file);
  slow.resolve();
  await settle();
  text(4);
  await trace.close();
  const bytesOf = ({ written }: { readonly written: readonly string[] }) =>
    [...written.join("").matchAll(/"bytes":(\d+)/g)].map(([, bytes]) => Number(bytes));
  assert.deepEqual(files.map(bytesOf), [[1, 2], [3], [4]]);
});

test("a trace whose next file cannot be opened ends, with one warning", async () => {
  const { file, written } = fakeFile();
  const warnings: string[] = [];
  const trace = await openFake(file, warnings);
  trace.rotated(() => Promise.reject(new Error("no room")));
  trace.observe(event);
  await settle();
  trace.rotated(() => Promise.reject(new Error("nor here")));
  trace.observe(event);
  await trace.close();
  assert.deepEqual(
    [written, warnings],
    [[], ["The event trace /data/x.trace.jsonl is not written any further, and the run goes on: no room"]],
  );
});

test("a trace that cannot be opened is said once, and the run is what it would have been", async () => {
  const m = machine();
  const warnings: string[] = [];
  const pod = await openSimulated({
    ...m,
    manifest: traced,
    observer: (seen) => void (seen.type === "alert" && warnings.push(seen.alert.message)),
    wrapSessions: (sessions) =>
      overriding(sessions, { openTrace: () => Promise.reject(new Error("no room")) }),
  });
  assert.equal((await pod.submit(input)).outcome.kind, "finished");
  await pod.close();
  assert.deepEqual(warnings, ["The event trace cannot be written, so nothing is traced: no room"]);
});

test("lines beyond the backlog are left out and counted; a line that just fits is not", async () => {
  let unblock = (): void => {};
  const blocked = new Promise<void>((resolve) => (unblock = resolve));
  const { file, written } = fakeFile({ blocked });
  const trace = await openFake(file);
  trace.observe(event);
  await settle(); // the first line is on its way; what comes now waits
  const lineBytes = Buffer.byteLength(
    `${JSON.stringify({ ts: Date.UTC(2026, 0, 1), elapsed_ms: 0, turn: 0, request: null, kind: "lifecycle", label: "text", data: { bytes: 1 } })}\n`,
  );
  const fitting = Math.floor(traceBacklogBytesMax / lineBytes);
  for (let count = 0; count < fitting + 3; count += 1) trace.observe(event);
  unblock();
  await trace.close();
  const lines = written.join("").trimEnd().split("\n");
  assert.equal(Buffer.byteLength(`${lines[1]}\n`), lineBytes);
  assert.equal(lines.length, 1 + fitting + 1);
  assert.match(lines.at(-1) ?? "", /"label":"closed".*"dropped":3/);
});

for (const [over, expected] of [
  [0, 1],
  [1, 0],
] as const) {
  test(`a trace file takes ${over === 0 ? "a line that reaches" : "no line past"} its limit`, async () => {
    const probe = fakeFile();
    const measure = await openFake(probe.file);
    measure.observe(event);
    await settle();
    const { bytes } = probe.file;
    const { file, written } = fakeFile({ bytes: traceBytesMax - bytes + over });
    const warnings: string[] = [];
    const trace = await openFake(file, warnings);
    trace.observe(event);
    await settle();
    assert.equal(written.length, expected);
    await trace.close();
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? "", /limit of 67108864 bytes/);
  });
}

test("a disk that takes no byte of the trace changes no run", async () => {
  const m = machine();
  const warnings: string[] = [];
  const pod = await openSimulated({
    ...m,
    manifest: traced,
    observer: (seen) => void (seen.type === "alert" && warnings.push(seen.alert.message)),
  });
  m.host.disk.plan = (operation) =>
    operation.kind === "write" && operation.path.includes(".trace.") ? "ENOSPC" : "pass";
  assert.equal((await pod.submit(input)).outcome.kind, "finished");
  await pod.close();
  assert.equal(warnings.length, 1, warnings.join("\n"));
  assert.match(warnings[0] ?? "", /the disk is full \(ENOSPC\)/);
});
