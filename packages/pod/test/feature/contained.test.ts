/** What a feature leaves to itself (promises that nobody waits for, listeners that throw) is its own: the process goes on, and so does the run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type FeatureModule, type HostAuthority, serviceId } from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import type { Pod } from "../../src/index.ts";
import { openSimulated } from "../../../../test/support/simulated-pod.ts";
import { approving, declared, descriptorOf, moduleOf, requires, service, toolOf } from "./features.ts";

const say = [{ type: "text", text: "go" }] as const;
const scenario = "steps:\n  - tool_calls: [{ name: Odd, arguments: {} }]\n  - text: done\n";
const turn = () => new Promise((resolve) => setImmediate(resolve));
const pin: HostAuthority = { kind: "secret_ref", id: "pin" };

/** Runs a Pod of these features to its close. What nobody caught is the test's failure: the test runner sees to it. */
async function lived(features: readonly FeatureModule[], whileRunning: (pod: Pod) => void = () => {}) {
  const unheard: unknown[] = [];
  const hear = (reason: unknown) => unheard.push(reason);
  process.on("unhandledRejection", hear);
  try {
    const host = memoryHost({ seed: 1 });
    const secret: typeof approving.secret = (id) => ({ id, read: () => Promise.reject(new Error("locked")) });
    const featureHost = { ...approving, secret, approvalOf: async () => ({ granted: [pin] }) };
    const pod = await openSimulated({ host, leases: new Map(), scenario, tools: [], features, featureHost });
    const running = pod.submit(say);
    await turn();
    whileRunning(pod);
    const { outcome } = await running;
    const closing = pod.close();
    await host.advance(5_000);
    await closing;
    await turn();
    assert.deepEqual(unheard, []);
    return { outcome: outcome.kind, reports: pod.features };
  } finally {
    process.off("unhandledRejection", hear);
  }
}

const warnings = ({ reports }: Awaited<ReturnType<typeof lived>>) =>
  reports.flatMap(({ diagnostics }) => diagnostics.map(({ message }) => message));

test("a promise of the host's that a feature waits for nowhere ends nothing when it fails", async () => {
  let asked = 0;
  const floating = moduleOf(
    descriptorOf("user:floats", {
      hooks: [{ name: "end", point: "on_turn_end" }],
      requires_services: [requires("user:notes")],
      authorities: [{ authority: pin, required: true, reason: "For a test." }],
    }),
    ({ services, notifications, handles, hooks }) => {
      const client = services.require(serviceId("user:notes"));
      const all = () => {
        asked += 1;
        // Not granted; rejected by the provider; not offered; refused by the host.
        void notifications.notifyModel("hello");
        void client?.call("get", {});
        void client?.call("other", {});
        void handles.secret("pin")?.read();
      };
      all();
      hooks.onTurnEnd("end", () => {
        all();
        return { action: "finish" };
      });
    },
  );
  const provider = moduleOf(
    descriptorOf("user:store", { provides_services: [service("user:notes")] }),
    ({ services }) =>
      services.provide(serviceId("user:notes"), "1.0.0", { get: () => Promise.reject(new Error("no")) }),
  );
  const { outcome, reports } = await lived([floating, provider]);
  assert.deepEqual(
    [outcome, asked, ...reports.map(({ status }) => status)],
    ["finished", 2, "installed", "installed"],
  );
});

test("a create() or a claim() that gives a promise is refused, and nobody trips over the promise", async () => {
  const odd = declared("Odd");
  const rejects = (() => Promise.reject(new Error("no module"))) as never;
  const descriptor = descriptorOf("user:odd", { tools: [odd] });
  const made = await lived([
    moduleOf(descriptor, ({ tools }) => tools.register({ name: "Odd", create: rejects })),
  ]);
  assert.deepEqual([made.outcome, made.reports[0]?.status], ["finished", "failed"]);
  assert.match(warnings(made).join(), /could not be made: `create` gave a promise/);
  const claiming = await lived([
    moduleOf(descriptor, ({ tools }) =>
      tools.register({ name: "Odd", create: () => toolOf(odd, { claim: rejects }) }),
    ),
  ]);
  assert.deepEqual([claiming.outcome, claiming.reports[0]?.status], ["finished", "installed"]);
});

test("a listener that throws when a task is told to stop is a warning in the feature's report", async () => {
  const listening = (throws: () => unknown) =>
    moduleOf(
      descriptorOf("user:task", { background_tasks: [{ name: "watch", description: "For a test." }] }),
      ({ backgroundTasks }) =>
        backgroundTasks.register(
          "watch",
          ({ signal }) =>
            new Promise((resolve) => {
              signal.addEventListener("abort", () => resolve());
              signal.addEventListener("abort", throws as () => void);
            }),
        ),
    );
  const failure = () => {
    throw new Error("no hunter2");
  };
  for (const throws of [failure, async () => failure()]) {
    const seen = await lived([listening(throws)]);
    assert.deepEqual(seen.reports[0]?.background_tasks, [{ name: "watch", state: "stopped" }]);
    assert.deepEqual(warnings(seen), [
      'The background task "watch" failed when it was told to stop: no [redacted: pin]',
    ]);
  }
});

test("so is one that throws when a call is cancelled", async () => {
  const odd = declared("Odd");
  const tool = toolOf(odd, {
    execute: (_, { signal }) =>
      new Promise((resolve) => {
        signal.onabort = () => {
          resolve({ summary: "ended" });
          throw new Error("no");
        };
      }),
  });
  const seen = await lived(
    [
      moduleOf(descriptorOf("user:odd", { tools: [odd] }), ({ tools }) =>
        tools.register({ name: "Odd", create: () => tool }),
      ),
    ],
    (pod) => pod.cancel(),
  );
  assert.equal(seen.outcome, "cancelled");
  assert.deepEqual(warnings(seen), ["The tool Odd failed when it was told to stop: no"]);
});
