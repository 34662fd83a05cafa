/** What is said beside the records: every kind of event as clients get it, without secrets, also when the log cannot be read. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callId, noCost, noUsage, YoiError } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { Live } from "@yoi/protocol";
import { overriding } from "../../../../test/support/overriding.ts";
import { effectTool, World } from "../../../../test/support/simulated-pod.ts";
import type { PodEvent } from "../../src/drive/pod-event.ts";
import { liveOf, runEnded, runListMax } from "../../src/serve/live-event.ts";
import { LineClient, served, text } from "./support.ts";

const call = callId(7, 1);
const report = {
  outcome: { kind: "finished", text: "Done." },
  followed: [{ kind: "failed", failure: { kind: "server", message: "m", retryable: true } }],
  accepted: true,
  turns: 2,
  usage: noUsage,
  cost: noCost,
  denials: [{ call, tool: "Bash", target: "ls", reason: "r", kind: "denied" }],
  permissionNeeded: false,
} as const;
const ended = {
  run: "4",
  end: { kind: "finished", text: "Done." },
  followed: [{ kind: "failed", failure: "server", message: "m", retryable: true }],
  turns: 2,
  usage: noUsage,
  cost: noCost,
  denials: report.denials,
  permission_needed: false,
} as const;

describe("events", () => {
  test("each as clients are told of it; what a record says is not said twice", () => {
    const failure = { kind: "rate_limit", message: "m", retryable: true } as const;
    const cases: readonly (readonly [PodEvent, Live | null])[] = [
      [
        { type: "state", state: "paused" },
        { type: "state", state: "paused" },
      ],
      [
        { type: "turn_start", turn: 2 },
        { type: "turn", turn: 2 },
      ],
      [
        { type: "block_start", index: 1, block: "tool_call", name: "Bash" },
        { type: "block_start", request: 7, index: 1, block: "tool_call", name: "Bash" },
      ],
      [
        { type: "block_start", index: 0, block: "text" },
        { type: "block_start", request: 7, index: 0, block: "text", name: null },
      ],
      [
        { type: "block_delta", index: 0, block: "text", text: "x" },
        { type: "delta", request: 7, index: 0, block: "text", text: "x" },
      ],
      [
        { type: "tool_start", call, name: "Bash", title: "Bash ls" },
        { type: "tool_start", call, name: "Bash", title: "Bash ls" },
      ],
      [
        { type: "tool_progress", call, text: "x" },
        { type: "tool_progress", call, text: "x" },
      ],
      [
        { type: "retry", attempt: 1, attemptsMax: 3, waitMs: 20, failure },
        {
          type: "retry",
          request: 7,
          attempt: 1,
          attempts_max: 3,
          wait_ms: 20,
          error_code: "rate_limit",
          message: "m",
          status: null,
        },
      ],
      [
        { type: "continuation", attempt: 1, attemptsMax: 2, reason: "r" },
        { type: "continuation", request: 7, attempt: 1, attempts_max: 2, reason: "r" },
      ],
      [
        { type: "alert", alert: { level: "warn", source: "host", message: "m", at: 5 } },
        { type: "alert", level: "warn", source: "host", message: "m", at: 5 },
      ],
      [
        { type: "run_ended", run: "4", report },
        { type: "run_ended", run: ended },
      ],
      [
        { type: "run_failed", run: "4", error: new YoiError("log_poisoned", "m") },
        { type: "run_failed", run: "4", code: "log_poisoned", message: "m" },
      ],
      [
        { type: "run_failed", run: null, error: new TypeError("m") },
        { type: "run_failed", run: null, code: "internal", message: "m" },
      ],
      [{ type: "request_recorded", seq: 7 }, null],
      [{ type: "answer", request: 7, finish: "stop", usage: noUsage }, null],
      [{ type: "text", text: "x" }, null],
      [{ type: "denied", call, name: "Bash", reason: "r" }, null],
    ];
    for (const [event, live] of cases) assert.deepEqual(liveOf(event, 7), live, event.type);
    assert.equal(liveOf({ type: "block_delta", index: 0, block: "text", text: "x" }, null), null);
  });

  test("each end of a run has its own shape, and lists are bounded", () => {
    const ends = [
      [
        { kind: "limit_reached", limit: "turns", max: 3 },
        { kind: "limit_reached", limit: "turns", max: 3 },
      ],
      [
        { kind: "limit_reached", limit: "time", maxMs: 9 },
        { kind: "limit_reached", limit: "time", max: 9 },
      ],
      [
        { kind: "paused", reason: "user", detail: "d" },
        { kind: "paused", reason: "user", detail: "d", until: null },
      ],
      [
        { kind: "yielded", reason: "r" },
        { kind: "yielded", reason: "r" },
      ],
      [
        { kind: "aborted", reason: "r" },
        { kind: "aborted", reason: "r" },
      ],
      [{ kind: "cancelled" }, { kind: "cancelled" }],
      [{ kind: "rolled_back", invoke: 4 }, { kind: "rolled_back" }],
    ] as const;
    for (const [outcome, end] of ends) assert.deepEqual(runEnded("4", { ...report, outcome }).end, end);
    const unrecorded = { ...report, accepted: false };
    for (const outcome of [{ kind: "cancelled" }, { kind: "paused", reason: "user", detail: "" }] as const)
      assert.deepEqual(runEnded(null, { ...unrecorded, outcome }).end, { kind: "rolled_back" });
    const many = <T>(one: T) => Array.from({ length: runListMax + 1 }, () => one);
    const long = runEnded("4", {
      ...report,
      followed: many(report.outcome),
      denials: many(report.denials[0]),
    });
    assert.deepEqual([long.followed.length, long.denials.length], [runListMax, runListMax]);
  });
});

describe("what clients are told", () => {
  test("holds no known secret: blocks, output, alerts, ends and refusals", async () => {
    const secret = "sk-0123456789";
    const host = memoryHost({ seed: 1 });
    const tool = effectTool(new World(), host);
    const telling = overriding(tool, {
      execute: async (_args, context) => {
        context.progress(`the key is ${secret}`);
        return { summary: "did it" };
      },
    });
    const steps = [
      { text: secret, tool_calls: [{ name: "Effect", arguments: { what: "x" } }] },
      { text: `It was ${secret}.` },
    ];
    await using it = await served({
      host,
      scenario: JSON.stringify({ chunk: 1_000, steps }),
      tools: [telling],
      serve: { redact: (said) => said.replaceAll(secret, "[secret]") },
    });
    const client = await LineClient.hello(await it.place.connect());
    await client.ask("submit", { parts: text("go"), submission: "s" });
    await client.liveOf("run_ended");
    await client.ask("submit", { parts: text(secret), submission: "s" });
    const told = JSON.stringify([client.live, await client.ask("show")]);
    assert.ok(told.includes("the key is [secret]") && told.includes("It was [secret]."));
    assert.ok(!told.includes(secret));
    // Records are redacted by the store, which this Pod has none of: so the control is in the same stream.
    assert.ok(JSON.stringify(client.entries).includes(secret));
  });

  test("a log that cannot be read back ends the connection with a sentence, and nobody else's", async () => {
    const host = memoryHost({ seed: 1 });
    const disk = { fails: false };
    await using it = await served({
      host,
      wrapSessions: (sessions) =>
        overriding(sessions, {
          create: async (start, opening) => {
            const opened = await sessions.create(start, opening);
            const records: typeof opened.writer.records = (from, bytesMax) =>
              disk.fails
                ? Promise.reject(new YoiError("io_failed", "The disk is gone."))
                : opened.writer.records(from, bytesMax);
            return { ...opened, writer: overriding(opened.writer, { records }) };
          },
        }),
    });
    const early = await LineClient.hello(await it.place.connect());
    await early.snapshot();
    disk.fails = true;
    const late = await LineClient.hello(await it.place.connect());
    assert.deepEqual(await late.error(null), {
      code: "internal",
      message: "The disk is gone.",
      cause: "io_failed",
    });
    await late.closed;
    await early.ask("notify", { message: "m", submission: "n" });
    assert.ok(early.entries.some(({ kind }) => kind === "inbox_accepted"));
    assert.equal(it.server.clients, 1);
  });
});
