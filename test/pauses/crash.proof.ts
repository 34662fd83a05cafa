/** A Pod whose provider keeps limiting it, killed at any moment of its waits and runs: each effect happens once, each answer is asked for once, and it comes to its end by itself. */
import assert from "node:assert/strict";
import { isKnown } from "@yoi/base";
import { HostCrashed, memoryHost } from "@yoi/host";
import { type Model, type ModelEvent, withStream } from "@yoi/model";
import { type Pod, readActive } from "@yoi/pod";
import type { Proof } from "../support/proof.ts";
import { effectTool, openSimulated, simulatedPod, simulatedStores, World } from "../support/simulated-pod.ts";

const stepsMax = 5;
const livesMax = 40;
const hourMs = 3_600_000;

/** @param waits false: a control whose Pods forget that they wait. */
export function pauseCrashes(waits = true): Proof {
  return {
    name: "I4: killed at any moment of its pauses a Pod goes on by itself, runs nothing twice and asks for no answer twice",
    cases: { test: 12, prove: 600 },
    check: (index) => check(index, waits),
  };
}

export const pauseCrashed = pauseCrashes();

async function check(index: number, beginsOwnRuns: boolean): Promise<void> {
  let host = memoryHost({ seed: index });
  const { random } = host;
  const leases = new Map();
  const world = new World();
  const answered = new Map<number, number>();
  const effects = Array.from({ length: stepsMax }, (_, at) => `effect ${at}`);
  const scenario = JSON.stringify({
    steps: [
      ...effects.map((what) => ({ tool_calls: [{ name: "Effect", arguments: { what } }] })),
      { text: "End." },
    ],
  });
  const wrapModel = (model: Model): Model =>
    withStream(model, async function* (request, options) {
      if (random.next() < 0.4) {
        yield limited(Math.ceil(random.next() * hourMs));
        return;
      }
      for await (const event of model.stream(request, options)) {
        if (event.type === "finish")
          answered.set(request.items.length, (answered.get(request.items.length) ?? 0) + 1);
        yield event;
      }
    });
  const open = (): Promise<Pod> =>
    openSimulated({ host, leases, scenario, tools: [effectTool(world, host)], wrapModel, beginsOwnRuns });
  const log = async () =>
    (await readActive(simulatedStores(host, leases), simulatedPod)).view.entries.filter(isKnown);

  let pod = await open();
  // It may be paused, or killed, before it ends.
  void pod.submit([{ type: "text", text: "go" }]).catch(() => undefined);
  await host.advance(1000);
  for (let life = 0; life < livesMax; life += 1) {
    // Mostly in the middle of a wait, where nothing is in flight.
    await host.advance(Math.ceil(random.next() * 2 * hourMs));
    if (pod.snapshot.state !== "paused") break;
    host.crash("process");
    await pod.close().catch((error: unknown) => assert.ok(error instanceof HostCrashed));
    host = host.restart();
    pod = await open();
  }
  await host.advance(40 * hourMs);
  const entries = await log();
  assert.deepEqual([pod.snapshot.state, entries.at(-1)?.kind], ["idle", "run_completed"]);
  await pod.close();
  assert.deepEqual(
    [...world.effects],
    effects.map((what) => [what, 1]),
  );
  assert.deepEqual(
    [...answered.values()],
    Array.from({ length: stepsMax + 1 }, () => 1),
  );
  assert.deepEqual(entries.filter(({ kind }) => kind === "tool_started").length, stepsMax);
}

function limited(retryAfterMs: number): ModelEvent {
  const failure = { kind: "rate_limit", message: "Later.", retryable: true, retryAfterMs } as const;
  return { type: "failure", failure, usage: null };
}
