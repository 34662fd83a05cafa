/** What features put into history: through the one log, durable before anybody sees it, and there again after a restart. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Entry, SystemItem } from "@yoi/base";
import { memoryHost, noFaults } from "@yoi/host";
import { noPoints } from "@yoi/worker";
import {
  entriesOf,
  logOf,
  openParts,
  type PartsOptions,
  storedState,
  unlimited,
} from "../../../../test/inbox/parts.ts";
import { simulatedPod, simulatedStores } from "../../../../test/support/simulated-pod.ts";
import { openScripted } from "../../../model/src/scripted/index.ts";
import { createHookPoints } from "../../src/hook/points.ts";
import { HookRegistry } from "../../src/hook/registry.ts";
import { verifyPod } from "../../src/index.ts";
import { namedBy } from "../named-by.ts";

const scenario = JSON.stringify({ steps: [{ text: "First." }, { text: "Second." }, { text: "Third." }] });

/** A Pod with a feature that reminds before every request. */
function machine() {
  const host = memoryHost({ seed: 6 });
  let reminders = 0;
  const options: PartsOptions = {
    host,
    leases: new Map(),
    scenario,
    points: (drain) => {
      const registry = new HookRegistry();
      registry.add(
        "feature",
        { id: "builtin:task", mayAppend: true },
        "remind",
        "pre_llm_request",
        ({ systemItems }) => {
          systemItems?.appendTaskReminder(`reminder ${(reminders += 1)}`);
          return { action: "continue" };
        },
      );
      return createHookPoints({
        ...noPoints,
        registry,
        hasWriter: true,
        drain,
        timers: host.timers,
        about: (owner, problem) => assert.fail(`${owner}: ${problem}`),
        redact: (text) => text,
      });
    },
  };
  return { host, options };
}

const systemItems = (entries: readonly { readonly kind: string }[]): readonly SystemItem[] =>
  entries.flatMap((entry) => (isSystem(entry) ? [entry.item] : []));
const isSystem = (entry: { readonly kind: string }): entry is Entry & { kind: "system_item" } =>
  entry.kind === "system_item";

test("A0-06: what a hook appends is an entry of the one segment file, as a system item, before the request that shows it", async () => {
  const m = machine();
  const parts = await openParts(m.options);
  await parts.submit("go");
  const entries = await entriesOf(m.host);
  const at = entries.findIndex(({ kind }) => kind === "system_item");
  assert.deepEqual(
    entries.slice(at - 1, at + 2).map(({ kind }) => kind),
    ["user_input", "system_item", "llm_request"],
  );
  const [item] = systemItems(entries);
  assert.deepEqual([item?.kind, item?.source], ["task_reminder", "builtin:task"]);
  assert.match(item?.body ?? "", /reminder 1/);
  assert.deepEqual(parts.requests[0]?.items.at(-1), { seq: at, item });
  const { bytes } = await logOf(m.host);
  assert.equal(bytes.toString().split("\n")[at]?.includes("reminder 1"), true);
  await parts.close();
});

test("A0-07, A1-08: each committed item is told to who watches the Pod's log, as system_item, frozen, after it is durable", async () => {
  const m = machine();
  const parts = await openParts(m.options);
  const told: Entry[] = [];
  const durable: Promise<boolean>[] = [];
  parts.gate.onCommit((entries) => {
    told.push(...entries);
    for (const { seq } of entries)
      durable.push(
        entriesOf(m.host).then((stored) => stored[seq]?.kind === told.find((e) => e.seq === seq)?.kind),
      );
  });
  await parts.notify("news");
  await parts.submit("go");
  const items = systemItems(told);
  assert.deepEqual(
    items.map(({ kind, source }) => [kind, source]),
    [
      ["notification", "test"],
      ["task_reminder", "builtin:task"],
    ],
  );
  assert.ok(items.every((item) => Object.isFrozen(item)));
  assert.deepEqual(new Set(await Promise.all(durable)), new Set([true]));
  assert.deepEqual(items, systemItems(await entriesOf(m.host)));
  await parts.close();
});

describe("A0-08: what could not be written is neither sent nor seen", () => {
  for (const [what, effect] of [
    ["is full", "ENOSPC"],
    ["cannot be synced", "EIO"],
  ] as const) {
    test(`when the disk ${what} at the item, nothing is sent, and the item is nowhere`, async () => {
      const m = machine();
      const parts = await openParts(m.options);
      const { path } = await logOf(m.host);
      // The first write is the input's, the second the item's.
      let writes = 0;
      m.host.disk.plan = (operation) => {
        if (operation.path !== path) return "pass";
        if (operation.kind === "write") writes += 1;
        const failing = effect === "ENOSPC" ? "write" : "sync";
        return writes === 2 && operation.kind === failing ? effect : "pass";
      };
      await assert.rejects(parts.submit("go"), { code: effect === "ENOSPC" ? "disk_full" : "log_poisoned" });
      m.host.disk.plan = noFaults;
      assert.equal(writes, 2);
      assert.deepEqual(parts.requests, []);
      assert.deepEqual(
        parts.gate.items.map(({ item }) => item.type),
        ["user_message"],
      );
      assert.deepEqual(systemItems(await entriesOf(m.host)), []);
      await parts.close();
      m.host.crash("power");
      const next = { ...m.options, host: m.host.restart(), leases: new Map() };
      assert.deepEqual(systemItems(await entriesOf(next.host)), []);
      const again = await openParts(next);
      assert.equal((await again.drive.resume(unlimited)).outcome.kind, "finished");
      await again.close();
    });
  }
});

test("A2-61: whatever a feature caused the model to see is there again on replay, with who said it and why", async () => {
  const m = machine();
  const parts = await openParts(m.options);
  await parts.inbox.accept({ source: "project:ci", message: "The build is red.", reason: "a push" });
  await parts.submit("go");
  await parts.inbox.accept({ source: "project:ci", message: "It is green." });
  await parts.drive.resume(unlimited);
  const { state } = parts.gate;
  const shown = parts.requests.at(-1)?.items ?? [];
  await parts.close();
  m.host.crash("power");
  const host = m.host.restart();
  const stored = await storedState(host);
  assert.deepEqual(
    { items: stored.items, inbox: stored.inbox, usage: stored.usage, turns: stored.turnCount },
    { items: state.items, inbox: state.inbox, usage: state.usage, turns: state.turnCount },
  );
  assert.deepEqual(
    stored.items.flatMap(({ item }) =>
      item.type === "system_item" ? [[item.kind, item.source, item.reason !== undefined]] : [],
    ),
    [
      ["notification", "project:ci", true],
      ["task_reminder", "builtin:task", true],
      ["notification", "project:ci", false],
      ["task_reminder", "builtin:task", true],
    ],
  );
  // Each thing that was shown is an entry of the log, and every request can be built from the log alone.
  for (const { seq, item } of shown)
    assert.deepEqual(stored.items.find((one) => one.seq === seq)?.item, item);
  const report = await verifyPod(simulatedStores(host, new Map()), simulatedPod, {
    wireRequestsMax: 10,
    openModel: async () => openScripted({ name: "sim.yaml", text: scenario, ports: host }),
  });
  assert.deepEqual([report.problems, report.requests, report.wireChecked], [[], 2, 2]);
});

test("A2-72: what an input attaches is on the disk before anybody is told of it or the model is asked", async () => {
  const m = machine();
  const seen: string[] = [];
  const attached = (path: string): SystemItem => ({
    type: "system_item",
    kind: "file_attachment",
    source: "host",
    body: `[File: ${path}]\ntext of ${path}`,
    record: { path },
  });
  const durable: Promise<readonly string[]>[] = [];
  const bodiesOnDisk = async (): Promise<readonly string[]> =>
    systemItems(await entriesOf(m.host)).map(({ body }) => body);
  const parts = await openParts({
    ...m.options,
    points: (drain) => ({ ...noPoints, drain }),
    input: {
      attach: async (references) => ({
        items: references.map((one) => attached(namedBy(one))),
        warnings: [],
      }),
      recall: (items) => {
        for (const { item } of items) if (item.type === "system_item") seen.push(item.body);
        durable.push(bodiesOnDisk());
      },
    },
    wrapModel: (model) => ({
      ...model,
      stream: (request, options) => {
        durable.push(bodiesOnDisk());
        return model.stream(request, options);
      },
    }),
  });
  const refs = ["a.txt", "b.txt"].map((path) => ({ type: "file_ref", path }) as const);
  await parts.drive.submit(refs, unlimited);
  const bodies = ["a.txt", "b.txt"].map((path) => attached(path).body);
  assert.deepEqual(seen, bodies);
  assert.deepEqual(await Promise.all(durable), [bodies, bodies]);
  const { items } = parts.requests[0] ?? assert.fail();
  assert.deepEqual(
    items.slice(1).map(({ item }) => item),
    bodies.map((_, n) => attached(["a.txt", "b.txt"][n] ?? "")),
  );
  await parts.close();
});
