/** Prompt-submit hooks: asked before anything of an input is on record; a refusal or a stop leaves no trace of it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { OnPromptSubmitContext } from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import { type WorkerEvent, noPoints } from "@yoi/worker";
import { logOf, openParts, type PartsOptions, spoken, unlimited } from "../../../../test/inbox/parts.ts";
import { Alerts } from "../../src/alert/alerts.ts";
import { createHookPoints } from "../../src/hook/points.ts";
import { HookRegistry } from "../../src/hook/registry.ts";
import { namedBy } from "../named-by.ts";

const scenario = JSON.stringify({ steps: [{ text: "First." }, { text: "Second." }, { text: "Third." }] });
const parts = [
  { type: "text", text: "see " },
  { type: "file_ref", path: "a.txt" },
] as const;

function machine() {
  const host = memoryHost({ seed: 4 });
  const attached: string[][] = [];
  const told: WorkerEvent[] = [];
  const input: NonNullable<PartsOptions["input"]> = {
    attach: async (references) => {
      attached.push(references.map(namedBy));
      return { items: [], warnings: ["a warning of what was attached"] };
    },
    warn: (text) => void told.push({ type: "warning", text }),
  };
  const options: PartsOptions = { host, leases: new Map(), scenario, input };
  return { host, attached, told, input, options };
}

test("a hook is asked once for each input, with what was typed and how many turns there were; not for other runs", async () => {
  const m = machine();
  const asked: OnPromptSubmitContext[] = [];
  const promptSubmit = async (context: OnPromptSubmitContext) => {
    asked.push(context);
    return { action: "continue" } as const;
  };
  const pod = await openParts({ ...m.options, input: { ...m.input, promptSubmit } });
  await pod.drive.submit(parts, unlimited);
  await pod.notify("news");
  await pod.drive.resume(unlimited);
  await pod.submit("more");
  assert.deepEqual(asked, [
    { inputText: "see @a.txt", turnIndex: 0 },
    { inputText: "more", turnIndex: 2 },
  ]);
  await pod.close();
});

describe("W-13: an input that a hook refuses", () => {
  const alerts = new Alerts({ clock: { now: () => 0 }, told: () => {} });
  /** A real hook, at its real point. */
  function refusing(m: ReturnType<typeof machine>, hook: () => never | { action: "cancel"; reason: string }) {
    const registry = new HookRegistry();
    registry.add("feature", { id: "project:gate", mayAppend: false }, "no-secrets", "on_prompt_submit", hook);
    return createHookPoints({
      ...noPoints,
      registry,
      hasWriter: true,
      timers: m.host.timers,
      about: (owner, problem) => alerts.raise("warn", owner, problem),
      redact: (text) => text,
    }).promptSubmit;
  }
  const hooks: readonly (readonly [string, Parameters<typeof refusing>[1], RegExp])[] = [
    ["says why", () => ({ action: "cancel", reason: "it holds a secret" }), /it holds a secret/],
    [
      "that fails",
      () => {
        throw new Error("broken");
      },
      /no-secrets .*project:gate.* broken/,
    ],
  ];
  for (const [name, hook, message] of hooks) {
    test(`leaves the log byte for byte as it was, attaches nothing and warns of nothing: a hook that ${name}`, async () => {
      const m = machine();
      let refuses = true;
      const refuse = refusing(m, hook);
      const pod = await openParts({
        ...m.options,
        input: {
          ...m.input,
          promptSubmit: async (...asked) => (refuses ? refuse(...asked) : { action: "continue" }),
        },
      });
      refuses = false;
      await pod.submit("go");
      refuses = true;
      const before = (await logOf(m.host)).bytes;
      const items = [...pod.gate.items];
      await assert.rejects(pod.drive.submit(parts, unlimited), { code: "prompt_refused", message });
      assert.ok((await logOf(m.host)).bytes.equals(before));
      assert.deepEqual([pod.gate.items, m.attached, m.told, pod.drive.state], [items, [], [], "idle"]);

      // Nothing of it leaks into the next one.
      refuses = false;
      const report = await pod.submit("clean");
      assert.deepEqual(report.outcome, { kind: "finished", text: "Second." });
      assert.deepEqual(spoken(pod.gate.state), [
        "user: go",
        "model: First.",
        "user: clean",
        "model: Second.",
      ]);
      await pod.close();
    });
  }
});

describe("a stop before an input is on record: nothing is kept, and the report says so", () => {
  const never = () => new Promise<never>(() => {});
  const stops: readonly (readonly [string, "cancel" | "pause" | "time" | "close", object])[] = [
    ["cancelled", "cancel", { kind: "cancelled" }],
    ["paused", "pause", { kind: "paused", reason: "user", detail: "paused by the user" }],
    ["closed", "close", { kind: "paused", reason: "interrupted", detail: "the Pod was closed" }],
    ["its time is up", "time", { kind: "limit_reached", limit: "time", maxMs: 1000 }],
  ];
  for (const where of ["while hooks are asked", "while files are attached"] as const) {
    for (const [name, by, outcome] of stops) {
      test(`${name} ${where}`, async () => {
        const m = machine();
        const waits = where === "while hooks are asked" ? { promptSubmit: never } : { attach: never };
        const pod = await openParts({ ...m.options, input: { ...m.input, ...waits } });
        const before = (await logOf(m.host)).bytes;
        const submitting = pod.drive.submit(parts, { timeoutMs: by === "time" ? 1000 : null });
        await m.host.advance(500);
        assert.equal(pod.drive.state, "running");
        const closing = by === "close" ? pod.drive.close() : null;
        if (by === "cancel" || by === "pause") pod.drive.stop(by);
        await m.host.advance(500);
        await closing;
        const report = await submitting;
        assert.deepEqual(
          [report.outcome, report.accepted, report.turns, report.denials],
          [outcome, false, 0, []],
        );
        assert.ok((await logOf(m.host)).bytes.equals(before));
        assert.equal(pod.drive.state, "idle");
        await pod.close();
      });
    }
  }

  test("what fails because of the stop is the stop; what fails before it is a failure", async () => {
    const m = machine();
    const failing = (signal: AbortSignal) =>
      new Promise<never>((_, reject) =>
        signal.addEventListener("abort", () => reject(new Error("told to end"))),
      );
    const pod = await openParts({
      ...m.options,
      input: { ...m.input, promptSubmit: (_, signal) => failing(signal) },
    });
    const submitting = pod.submit("go");
    pod.drive.stop("pause");
    await m.host.advance(0);
    assert.equal((await submitting).accepted, false);
    await pod.close();

    const broken = await openParts({
      ...m.options,
      input: { ...m.input, attach: () => Promise.reject(new Error("no disk")) },
    });
    await assert.rejects(broken.drive.submit(parts, unlimited), /no disk/);
    assert.equal(broken.drive.state, "idle");
    await broken.close();
  });
});
