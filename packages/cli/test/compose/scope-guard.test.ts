/** What a lend waits for: calls that may write, through the guard that is around every tool, and features' writes; and what it does not wait for. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { callId, type Loan, type Tool, YoiError } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { lendWaitMs, LiveScope, protectionOf, scopeRule } from "@yoi/scope";
import { createScopedFiles, featureFiles } from "@yoi/tools";
import { guardScope } from "../../src/compose/scope-guard.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-scope-guard-")));
after(() => rmSync(root, { recursive: true }));
const workspace = join(root, "ws");
for (const name of ["lent", "kept"]) {
  mkdirSync(join(workspace, name), { recursive: true });
  writeFileSync(join(workspace, name, "f"), "old");
}
const protection = protectionOf({ workspace, home: null, own: [], spill: null });
const ceiling = { allow: [scopeRule(workspace, "write")], deny: [] };
const loan: Loan = {
  id: "loan-1",
  scope: { allow: [scopeRule(workspace, "read"), scopeRule(join(workspace, "lent"), "write")], deny: [] },
};
const context = { call: callId(12, 0), progress: () => {}, signal: new AbortController().signal };
const going = new AbortController().signal;

/** A tool whose call goes on until it is let go. */
function held(kind: Partial<Pick<Tool, "readOnly" | "writesNoFile">> = {}, name = "Bash") {
  const { promise, resolve } = Promise.withResolvers<void>();
  const tool: Tool = {
    definition: { name, description: "", input_schema: { type: "object" } },
    readOnly: false,
    ...kind,
    execute: async () => {
      await promise;
      return { summary: "done" };
    },
  };
  return { tool, letGo: resolve };
}

/** Whether the promise has settled once everything that could run has. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = (): void => void (settled = true);
  promise.then(note, note);
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

test("a lend waits for a call that may write, and is done when that ends, whether well or not", async () => {
  for (const fails of [false, true]) {
    const live = new LiveScope(ceiling);
    const { tool, letGo } = held();
    const failing: Tool = {
      ...tool,
      execute: async (...given) => {
        await tool.execute(...given);
        throw new YoiError("io_failed", "It failed.");
      },
    };
    const call = guardScope(fails ? failing : tool, live).execute({}, context);
    const ended = call.catch(() => {});
    const lend = live.lend(loan, { timers: memoryHost({ seed: 1 }).timers, signal: going });
    assert.equal(await isSettled(lend), false);
    letGo();
    await Promise.all([lend, ended]);
    assert.deepEqual(live.loans, [loan]);
  }
});

test("it waits neither for what only looks nor for what writes no file: a lend would wait for itself", async () => {
  for (const [name, kind] of [
    ["Read", { readOnly: true }],
    ["SpawnPod", { writesNoFile: true }],
  ] as const) {
    const live = new LiveScope(ceiling);
    const { tool, letGo } = held(kind, name);
    const guarded = guardScope(tool, live);
    const call = guarded.execute({}, context);
    await live.lend(loan, { timers: memoryHost({ seed: 1 }).timers, signal: going });
    letGo();
    assert.deepEqual(await call, { summary: "done" });
    live.takeBack(loan.id);
    const control = held({}, name);
    const counted = guardScope(control.tool, live).execute({}, context);
    const lend = live.lend(loan, { timers: memoryHost({ seed: 1 }).timers, signal: going });
    assert.equal(await isSettled(lend), false, "control: without the mark it would");
    control.letGo();
    await Promise.all([counted, lend]);
  }
});

test("it waits for no work where nothing is lent that this Pod could write", async () => {
  const live = new LiveScope(ceiling);
  const { tool, letGo } = held();
  const call = guardScope(tool, live).execute({}, context);
  const toRead: Loan = { id: "loan-2", scope: { allow: [scopeRule(workspace, "read")], deny: [] } };
  await live.lend(toRead, { timers: memoryHost({ seed: 1 }).timers, signal: going });
  letGo();
  await call;
});

test("work that does not end in time: the lend is refused, names it, and the write is back", async () => {
  const live = new LiveScope(ceiling);
  const host = memoryHost({ seed: 1 });
  const { tool, letGo } = held();
  const call = guardScope(tool, live).execute({}, context);
  const lend = live.lend(loan, { timers: host.timers, signal: going });
  const refused = assert.rejects(
    lend,
    new YoiError(
      "loan_refused",
      "What was to be lent can still be written by work that goes on (Bash (12.0)): wait until it ends, or cancel it, then lend again.",
    ),
  );
  await host.advance(lendWaitMs - 1);
  assert.equal(await isSettled(lend), false, "a millisecond before, it still waits");
  assert.notDeepEqual(live.current, ceiling, "and what it asks for is withdrawn meanwhile");
  await host.advance(1);
  await refused;
  assert.deepEqual([live.current, live.loans], [ceiling, []]);
  letGo();
  await call;
});

test("a cancelled lend ends its wait at once, and the write is back", async () => {
  const live = new LiveScope(ceiling);
  const cancel = new AbortController();
  const { tool, letGo } = held();
  const call = guardScope(tool, live).execute({}, context);
  const lend = live.lend(loan, { timers: memoryHost({ seed: 1 }).timers, signal: cancel.signal });
  const reason = new YoiError("cancelled", "Cancelled.");
  const cancelled = assert.rejects(lend, reason);
  cancel.abort(reason);
  await cancelled;
  assert.deepEqual([live.current, live.loans], [ceiling, []]);
  letGo();
  await call;
});

test("a call that began before a lend asks the scope anew for each file: the first write stands, the next one is refused", async () => {
  const live = new LiveScope(ceiling);
  const files = createScopedFiles({ scope: () => live.current, protection });
  const write = (name: string, text: string) =>
    files.write(join(workspace, name), Buffer.from(text), { kind: "anything" });
  const { promise, resolve: goOn } = Promise.withResolvers<void>();
  const tool: Tool = {
    ...held().tool,
    execute: async () => {
      await write("lent/f", "before");
      await promise;
      await assert.rejects(write("lent/f", "after"), /is read-only in this Pod's scope/);
      await write("kept/f", "after");
      return { summary: "done" };
    },
  };
  const call = guardScope(tool, live).execute({}, context);
  while (readFileSync(join(workspace, "lent/f"), "utf8") !== "before")
    await new Promise((resolve) => setImmediate(resolve));
  const lend = live.lend(loan, { timers: memoryHost({ seed: 1 }).timers, signal: going });
  goOn();
  await Promise.all([call, lend]);
  const read = (name: string) => readFileSync(join(workspace, name), "utf8");
  assert.deepEqual([read("lent/f"), read("kept/f")], ["before", "after"]);
  live.takeBack(loan.id);
  await write("lent/f", "again");
  assert.equal(read("lent/f"), "again", "and when the loan is back, so is the write");
});

test("a feature's write is work of its own, and asks the scope anew too", async () => {
  const live = new LiveScope(ceiling);
  const entered: string[] = [];
  let open = 0;
  const files = featureFiles({
    scope: () => live.current,
    enter: (what) => {
      entered.push(what.replace(root, ""));
      open += 1;
      return () => void (open -= 1);
    },
    protection,
    workspace,
    grants: [{ access: "write", path: "." }],
  });
  await files.read("lent/f");
  await files.write("lent/g", "x");
  await live.lend(loan, { timers: memoryHost({ seed: 1 }).timers, signal: going });
  await assert.rejects(files.write("lent/g", "y"), /is read-only in this Pod's scope/);
  const work = `a feature's write of "/ws/lent/g"`;
  assert.deepEqual([entered, open], [[work, work], 0]);
});
