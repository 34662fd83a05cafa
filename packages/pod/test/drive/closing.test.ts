/** Closing an open Pod: at once nothing begins or goes on; what features tell while they stop waits, durably, for the next owner. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import type { FeatureModule } from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import { replay } from "@yoi/session-store";
import { OwnRuns } from "../../../../test/support/own-runs.ts";
import {
  effectTool,
  openSimulated,
  simulatedPod,
  simulatedStores,
  World,
} from "../../../../test/support/simulated-pod.ts";
import { readActive } from "../../src/index.ts";
import { descriptorOf } from "../feature/features.ts";

const go = [{ type: "text", text: "go" }] as const;
const stopMs = 1_000;

/** Its background task tells the model something when it is stopped, and takes its time to end. */
function slowToStop(host: ReturnType<typeof memoryHost>, trace: string[]): FeatureModule {
  return {
    descriptor: descriptorOf("builtin:slow", {
      authorities: [{ authority: { kind: "model_notification" }, required: true, reason: "For a test." }],
      background_tasks: [{ name: "watch", description: "For a test.", required: true }],
    }),
    install: ({ backgroundTasks, notifications }) => {
      backgroundTasks.register("watch", async ({ signal }) => {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        await notifications.notifyModel("I stop.");
        trace.push("told");
        await host.timers.sleep(stopMs);
        trace.push("stopped");
      });
    },
  };
}

for (const runs of [true, false]) {
  test(`a Pod that ${runs ? "runs" : "is idle"} refuses every run from the call of close on, and a notice begins none`, async () => {
    const host = memoryHost({ seed: 5 });
    const leases = new Map();
    const world = new World();
    const trace: string[] = [];
    const own = new OwnRuns();
    const pod = await openSimulated({
      host,
      leases,
      scenario: JSON.stringify({
        steps: Array.from({ length: 60 }, (_, n) => ({
          delay_ms: 90,
          tool_calls: [{ name: "Effect", arguments: { what: `${n}` } }],
        })),
      }),
      tools: [effectTool(world, host)],
      features: [slowToStop(host, trace)],
      ownRuns: own,
    });
    const running = runs ? pod.submit(go) : null;
    await host.advance(200);
    const effects = world.effects.size;
    const closing = pod.close();
    await assert.rejects(pod.submit(go), { code: "cancelled" });
    await assert.rejects(pod.resume(), { code: "cancelled" });
    await host.advance(stopMs / 2);
    assert.deepEqual(trace, ["told"]);
    await assert.rejects(pod.submit(go), { code: "cancelled" });
    await pod.notify({ source: "host", message: "And I." });
    await host.advance(10_000);
    await closing;
    assert.deepEqual(trace, ["told", "stopped"]);
    assert.deepEqual([world.effects.size, own.reports], [effects, []]);
    assert.equal(effects > 0, runs);
    assert.deepEqual(
      (await running)?.outcome,
      runs ? { kind: "paused", reason: "interrupted", detail: "the Pod was closed" } : undefined,
    );
    const refused = await pod.notify({ source: "host", message: "late" }).catch((error: unknown) => error);
    assert.ok(refused instanceof YoiError && refused.code === "cancelled");
    const { view } = await readActive(simulatedStores(host, leases), simulatedPod);
    assert.deepEqual(
      replay(view.entries).inbox.map(({ item }) => [item.source, item.body]),
      [
        ["builtin:slow", "I stop."],
        ["host", "And I."],
      ],
    );
  });
}
