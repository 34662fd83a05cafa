/** Requests: what each does in each state of a real Pod, what is answered when, and to whom. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isKnown, YoiError, type ErrorCode } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import {
  clientRequestsMax,
  frameBytesMax,
  halfLinesBytesMax,
  largeRecordsMax,
  podStates,
  type PodState,
  type ProtocolErrorCode,
  protocolErrorCodes,
  requestsMax,
  stateTable,
} from "@yoi/protocol";
import { HalfLines } from "../../src/serve/half-lines.ts";
import { LargeRecords } from "../../src/serve/large-records.ts";
import { codeOfFailure, refusalBytesMax, refusalOf } from "../../src/serve/protocol-error.ts";
import type { StreamLine } from "../../src/serve/stream-line.ts";
import { stuckModel } from "../drive/stuck-model.ts";
import { childToken, LineClient, served, text } from "./support.ts";

const graceMs = 5_000;
const scenario = JSON.stringify({ steps: [{ text: "One." }, { text: "Two." }, { text: "Three." }] });

/** A Pod whose model hangs while `hangs` says so, in the state that is asked for. */
async function inState(state: PodState, options: { readonly serve?: object } = {}) {
  const host = memoryHost({ seed: 3 });
  const model = { hangs: true };
  const it = await served({
    host,
    scenario,
    shell: {
      missing: null,
      run: async () => ({ end: "exited", exit: 0, how: "exit code 0", text: "" }),
    },
    wrapModel: (scripted) => stuckModel(scripted, () => (model.hangs ? "before the answer" : null)),
    ...options,
  });
  const client = await LineClient.hello(await it.place.connect());
  await client.snapshot();
  if (state !== "idle") {
    await client.ask("submit", { parts: text("go"), submission: "first" });
    await client.until(
      (line) => "event" in line && line.event === "entry" && line.entry.kind === "llm_request",
      "the request",
    );
  }
  if (state === "paused") {
    // As a process that was told to end leaves it: an empty turn that somebody paused would be taken back.
    it.pod.interrupt();
    await host.advance(graceMs);
    await client.liveOf("run_ended");
  }
  assert.equal(it.pod.snapshot.state, state);
  return { it, client, model, host };
}

type Method = keyof typeof stateTable;
const asked: Readonly<Record<Method, object>> = {
  ping: {},
  show: {},
  submit: { parts: text("more"), submission: "second" },
  notify: { message: "by the way", submission: "note" },
  resume: {},
  cancel: {},
  pause: {},
  answer_approval: { digest: "none", answer: "allow" },
  pod_event: { event: "turn_ended" },
  restore_pod: { name: "stranger" },
  register_peer: { name: "reviewer", remove: true },
  compact: {},
  undo_compaction: {},
  list_rewind_targets: {},
  rewind: { id: "last", side: "behind" },
  queue: { parts: text("later"), submission: "queued", when: "run_end" },
  unqueue: { id: "7" },
  run_command: { command: "true", submission: "command" },
  stop_command: { id: "7" },
  complete_path: { prefix: "" },
  set_title: { title: "a title" },
  shutdown: {},
};
/** What is refused though the table has it taken: by the Pod itself, because of what was asked. */
const refusedAnyway: Partial<Record<Method, Partial<Record<PodState, ProtocolErrorCode>>>> = {
  resume: { idle: "not_paused" },
  // It waits for somebody.
  cancel: { paused: "not_running" },
  // Nothing of this process begins Pods.
  restore_pod: { idle: "invalid_request", running: "invalid_request", paused: "invalid_request" },
  // Nothing waits.
  unqueue: { idle: "invalid_request", running: "invalid_request", paused: "invalid_request" },
  // No command goes on.
  stop_command: { idle: "not_running", running: "not_running", paused: "not_running" },
  rewind: { idle: "invalid_request", paused: "invalid_request" },
  // There is nothing to compact, and nothing was.
  compact: { idle: "invalid_request", paused: "invalid_request" },
  undo_compaction: { idle: "invalid_request", paused: "invalid_request" },
  answer_approval: { idle: "invalid_request", running: "invalid_request", paused: "invalid_request" },
};

describe("the state table", () => {
  for (const state of podStates) {
    test(`${state}: every method does on a real Pod what the table says`, async () => {
      for (const method of Object.keys(stateTable) as Method[]) {
        const { it, client, model, host } = await inState(state);
        const cell = stateTable[method][state];
        const before = it.pod.snapshot;
        const isRefusal = cell === "already_running" || cell === "not_running" || cell === "not_paused";
        const hello = { role: "child", token: childToken, stream: false } as const;
        const asking =
          method === "pod_event" ? await LineClient.hello(await it.place.connect(), hello) : client;
        const answer = asking.ask(method, asked[method]);
        if (!isRefusal) model.hangs = false;
        await host.advance(graceMs);
        const answered = await answer;
        const code =
          typeof answered === "object" && answered !== null && "code" in answered ? answered.code : "taken";
        assert.equal(
          code,
          isRefusal ? cell : (refusedAnyway[method]?.[state] ?? "taken"),
          `${method} while ${state}`,
        );
        if (isRefusal || cell === "nothing")
          assert.deepEqual(it.pod.snapshot, before, `${method} while ${state}`);
        assert.equal(it.shutdowns.count, method === "shutdown" ? 1 : 0);
        const closed = it.pod.close();
        await host.advance(2 * graceMs);
        await closed;
      }
    });
  }
});

describe("submissions", () => {
  test("a repeat is answered with the first seq while that run goes on, behind it, and by the next owner", async () => {
    const { it, client, model, host } = await inState("running");
    const first = { parts: text("go"), submission: "first" };
    const duplicate = { id: "4", duplicate: true };
    assert.deepEqual(await client.ask("submit", first), duplicate);
    const conflict = await client.ask("submit", { ...first, parts: text("other") });
    assert.deepEqual(conflict, {
      code: "invalid_request",
      message: 'Something else came in as the submission "first" before: choose another id for what is new.',
      cause: "submission_conflict",
    });
    const busy = await client.ask("submit", { ...first, submission: "another" });
    assert.ok(typeof busy === "object" && busy !== null && "code" in busy && busy.code === "already_running");
    model.hangs = false;
    await client.ask("cancel");
    await host.advance(graceMs);
    await client.liveOf("run_ended");
    assert.deepEqual(await client.ask("submit", first), duplicate);
    await it.pod.close();
    await using next = await served({ host, leases: it.leases, scenario });
    const again = await LineClient.hello(await next.place.connect(), { stream: false });
    assert.deepEqual(await again.ask("submit", first), duplicate);
  });

  test("many at once over many connections: each name once", async () => {
    await using it = await served({ scenario });
    const clients = await Promise.all(
      Array.from({ length: 8 }, async () => LineClient.hello(await it.place.connect(), { stream: false })),
    );
    const answers = await Promise.all(
      clients.map((client) => client.ask("submit", { parts: text("go"), submission: "one" })),
    );
    assert.deepEqual(
      answers.map((answer) => JSON.stringify(answer)).sort(),
      [false, ...Array.from({ length: 7 }, () => true)].map((duplicate) =>
        JSON.stringify({ id: "4", duplicate }),
      ),
    );
    const notes = await Promise.all(
      clients.map((client) => client.ask("notify", { message: "m", submission: "note" })),
    );
    assert.equal(new Set(notes.map((note) => JSON.stringify(note).replace(/true|false/, ""))).size, 1);
  });
});

describe("stops", () => {
  test("A3-35: a cancel sent in the same write as its submit stops that run, and nothing of it is kept", async () => {
    for (const kind of ["cancel", "pause"]) {
      const { it, client, host } = await inState("idle");
      const submit = { id: "a", method: "submit", params: { parts: text("go"), submission: "s" } };
      const stop = { id: "b", method: kind, params: {} };
      await client.sendText(`${JSON.stringify(submit)}\n${JSON.stringify(stop)}\n`);
      assert.deepEqual(await client.answer("b"), {});
      await host.advance(graceMs);
      await client.liveOf("run_ended");
      const ended = client.live.find(({ type }) => type === "run_ended");
      assert.deepEqual(ended?.type === "run_ended" && ended.run.end, { kind: "rolled_back" }, kind);
      assert.equal(it.pod.snapshot.state, "idle");
      await client.answer("a");
      await it.pod.close();
    }
  });

  test("A3-37: a cancel while nothing runs is refused, and the run that comes next is not touched by it", async () => {
    const { it, client, model } = await inState("idle");
    model.hangs = false;
    const refusal = await client.ask("cancel");
    assert.ok(
      typeof refusal === "object" && refusal !== null && "code" in refusal && refusal.code === "not_running",
    );
    await client.ask("submit", { parts: text("go"), submission: "s" });
    await client.liveOf("run_ended");
    const ended = client.live.find(({ type }) => type === "run_ended");
    assert.deepEqual(ended?.type === "run_ended" && ended.run.end, { kind: "finished", text: "One." });
    await it.pod.close();
  });

  test("a cancel of a run that waits for its provider ends the wait and the run", async () => {
    const failure = { kind: "rate_limit", retry_after_ms: 3_600_000 };
    const host = memoryHost({ seed: 3 });
    const it = await served({ host, scenario: JSON.stringify({ steps: [{ failure }, { text: "Late." }] }) });
    const client = await LineClient.hello(await it.place.connect());
    await client.snapshot();
    await client.ask("submit", { parts: text("go"), submission: "first" });
    await client.liveOf("run_ended");
    assert.equal(it.pod.snapshot.state, "paused");
    assert.deepEqual(await client.ask("cancel"), {});
    await host.advance(10 * 3_600_000);
    const last = client.entries.at(-1);
    assert.ok(last !== undefined && isKnown(last) && last.kind === "run_completed");
    assert.equal(last.result, "cancelled");
    assert.equal(it.pod.snapshot.state, "idle");
    await it.pod.close();
  });

  test("A3-37: a cancel that names another run than the one that goes on is refused, and that run goes on", async () => {
    const { it, client, host } = await inState("running");
    const refusal = await client.ask("cancel", { run: "3" });
    assert.ok(
      typeof refusal === "object" && refusal !== null && "code" in refusal && refusal.code === "not_running",
    );
    assert.equal(it.pod.snapshot.state, "running");
    assert.deepEqual(await client.ask("cancel", { run: "4" }), {});
    await host.advance(graceMs);
    await client.liveOf("run_ended");
    await it.pod.close();
  });

  test("A3-38: an empty turn that is cancelled or paused rolls back, and a later snapshot does not bring the input back", async () => {
    for (const kind of ["cancel", "pause"] as const) {
      const { it, client, host } = await inState("running");
      await client.ask(kind);
      await host.advance(graceMs);
      await client.liveOf("run_ended");
      const ended = client.live.find(({ type }) => type === "run_ended");
      assert.deepEqual(ended?.type === "run_ended" && ended.run.end, { kind: "rolled_back" });
      assert.equal(client.entries.at(-1)?.kind, "turn_rolled_back");
      const later = await LineClient.hello(await it.place.connect());
      await later.snapshot();
      assert.deepEqual(
        [later.view?.state, later.view?.run, later.view?.in_flight, later.view?.last_run?.end],
        ["idle", null, { request: null, blocks: [], calls: [] }, { kind: "rolled_back" }],
      );
      assert.deepEqual(later.entries, client.entries);
      await it.pod.close();
    }
  });
});

describe("limits", () => {
  const notes = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const id = `${from + index}`;
      return `${JSON.stringify({ id, method: "notify", params: { message: "m", submission: id } })}\n`;
    }).join("");
  const codeOf = (answer: unknown) =>
    typeof answer === "object" && answer !== null && "code" in answer ? answer.code : "taken";

  test("32 requests of all clients are carried out at a time; one more is told so", async () => {
    await using it = await served();
    const clients = await Promise.all(
      Array.from({ length: requestsMax / clientRequestsMax + 1 }, async () =>
        LineClient.hello(await it.place.connect(), { stream: false }),
      ),
    );
    await Promise.all(
      clients.map((client, index) =>
        client.sendText(
          notes(index * clientRequestsMax, index * clientRequestsMax === requestsMax ? 1 : clientRequestsMax),
        ),
      ),
    );
    const codes = await Promise.all(
      Array.from({ length: requestsMax + 1 }, async (_, id) =>
        codeOf(await clients[Math.floor(id / clientRequestsMax)]?.answer(`${id}`)),
      ),
    );
    assert.deepEqual(codes.toSorted(), ["busy", ...Array.from({ length: requestsMax }, () => "taken")]);
    assert.deepEqual(await clients[0]?.ask("ping"), {}, "and then there is room again");
  });

  test("one client alone is never too busy for itself: however many it sends at once, all are answered in order", async () => {
    await using it = await served();
    const client = await LineClient.hello(await it.place.connect(), { stream: false });
    const count = 3 * requestsMax;
    await client.sendText(notes(0, count));
    await client.answer(`${count - 1}`);
    const answered = client.lines.flatMap((line) => ("result" in line ? [line.id] : []));
    assert.deepEqual(answered, ["hello", ...Array.from({ length: count }, (_, id) => `${id}`)]);
  });

  test("half lines of all clients have 32 MiB; one byte more ends the one that began first, and it is told so", async () => {
    const lines = new HalfLines();
    const given: string[] = [];
    const sender = (name: string) => {
      const it = { giveUpLine: () => (given.push(name), lines.keep(it, 0)) };
      return it;
    };
    const [first, second, third] = [sender("first"), sender("second"), sender("third")];
    lines.keep(second, 1);
    lines.keep(first, 1);
    lines.keep(second, 0);
    lines.keep(second, 1);
    lines.keep(third, halfLinesBytesMax - 2);
    assert.deepEqual(given, []);
    lines.keep(second, 2);
    assert.deepEqual(given, ["first"]);
    lines.keep(second, 3);
    assert.deepEqual(given, ["first", "second"], "among those that are left");

    await using it = await served();
    const greeted = async () => LineClient.hello(await it.place.connect(), { stream: false });
    const clients = [await greeted(), await greeted(), await greeted()];
    const half = Buffer.alloc(frameBytesMax - 1, "x");
    for (const client of clients) await client.connection.write(half);
    const [oldest, ...others] = clients;
    assert.equal((await oldest?.error(null))?.code, "busy");
    await oldest?.closed;
    for (const client of others) {
      await client.sendText("\n");
      assert.equal((await client.error(null)).code, "invalid_request", "its line is whole and wrong");
    }
  });

  test("four large records are held at a time, each once for all who want it, and one is made at a time", async () => {
    const records = new LargeRecords();
    const making: PromiseWithResolvers<StreamLine>[] = [];
    const make = () => {
      const made = Promise.withResolvers<StreamLine>();
      making.push(made);
      return made.promise;
    };
    const line: StreamLine = { bytes: Buffer.from("x"), place: null };
    const held = Array.from({ length: largeRecordsMax }, (_, seq) => records.hold(`s/${seq}`, make));
    assert.equal(records.hold("s/none", make), null);
    assert.equal(records.hold("s/0", make), held[0], "shared");
    await Promise.resolve();
    assert.equal(making.length, 1);
    making[0]?.reject(new Error("unreadable"));
    await assert.rejects(held[0] ?? Promise.resolve(), /unreadable/);
    await Promise.resolve();
    making[1]?.resolve(line);
    assert.equal(await held[1], line, "a failure is of its own record");
    const { room } = records;
    records.release("s/0");
    assert.equal(records.hold("s/none", make), null, "one of two still has it");
    records.release("s/0");
    await room;
    assert.notEqual(records.hold("s/none", make), null);
  });
});

describe("failures", () => {
  test("each code of yoi is one of the protocol's, and what is said is one redacted, bounded sentence", () => {
    for (const code of Object.values(codeOfFailure)) assert.ok(protocolErrorCodes.includes(code));
    const redact = (said: string) => said.replaceAll("s3cret", "[secret]");
    const cases: readonly (readonly [unknown, ProtocolErrorCode, ErrorCode | undefined])[] = [
      [new YoiError("model_failed", "m s3cret"), "provider_error", "model_failed"],
      [new YoiError("web_failed", "m s3cret"), "tool_error", "web_failed"],
      [new YoiError("prompt_empty", "m s3cret"), "invalid_request", "prompt_empty"],
      [new YoiError("inbox_full", "m s3cret"), "invalid_request", "inbox_full"],
      [new YoiError("queue_full", "m s3cret"), "invalid_request", "queue_full"],
      [new YoiError("approval_unknown", "m s3cret"), "invalid_request", "approval_unknown"],
      [new YoiError("nothing_to_resume", "m s3cret"), "not_paused", "nothing_to_resume"],
      [new YoiError("cancelled", "m s3cret"), "closing", "cancelled"],
      [new YoiError("log_poisoned", "m s3cret"), "internal", "log_poisoned"],
    ];
    for (const [thrown, code, cause] of cases)
      assert.deepEqual(refusalOf(thrown, redact), { code, message: "m [secret]", cause });
    const defect = refusalOf(new TypeError(`x s3cret ${"y".repeat(10 * refusalBytesMax)}`), redact);
    assert.deepEqual(
      [defect.code, defect.cause, defect.message.includes("s3cret")],
      ["internal", undefined, false],
    );
    assert.ok(!defect.message.includes(".ts:") && Buffer.byteLength(defect.message) <= refusalBytesMax + 100);
  });
});
