/** What an on_abort hook tells the model waits: no stop begins a run. */
import assert from "node:assert/strict";
import test from "node:test";
import type { FeatureModule } from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import { OwnRuns } from "../../../test/support/own-runs.ts";
import { effectTool, openSimulated, World } from "../../../test/support/simulated-pod.ts";
import { descriptorOf } from "./feature/features.ts";

const scenario = `
steps:
  - tool_calls: [{ name: Effect, arguments: { what: a } }]
  - text: Done.
`;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** `told` resolves when the notice is durable. */
function mourner(told: PromiseWithResolvers<void>): FeatureModule {
  return {
    descriptor: descriptorOf("builtin:mourner", {
      hooks: [{ name: "tell", point: "on_abort" }],
      authorities: [{ authority: { kind: "model_notification" }, required: true, reason: "For a test." }],
    }),
    install: ({ hooks, notifications }) =>
      hooks.onAbort("tell", async ({ reason }) => {
        await turn();
        await notifications.notifyModel(`The run ended: ${reason}.`);
        told.resolve();
        return { action: "observed" };
      }),
  };
}

test("a notice of an on_abort hook waits for the next run, also when the hook takes a moment", async () => {
  const host = memoryHost({ seed: 5 });
  const told = Promise.withResolvers<void>();
  const own = new OwnRuns();
  const pod = await openSimulated({
    host,
    leases: new Map(),
    tools: [effectTool(new World(), host)],
    scenario,
    features: [mourner(told)],
    observer: (event) => void (event.type === "tool_start" && pod.cancel()),
    ownRuns: own,
  });
  assert.equal((await pod.submit([{ type: "text", text: "go" }])).outcome.kind, "cancelled");
  await told.promise;
  await turn();
  assert.deepEqual([pod.snapshot.state, pod.snapshot.waiting, own.reports.length], ["idle", 1, 0]);
  // Anything else that arrives begins the run that tells both.
  await pod.notify({ source: "host", message: "Something else." });
  while (pod.snapshot.state === "running") await turn();
  assert.deepEqual([pod.snapshot.waiting, own.reports.length], [0, 1]);
  await pod.close();
});
