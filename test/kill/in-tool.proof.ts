/** SIGKILL in the middle of a command whose effect has happened and whose result nobody has seen. */
import assert from "node:assert/strict";
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import { eventually } from "../support/processes.ts";
import type { Proof } from "../support/proof.ts";
import { makePlan } from "./plan.ts";
import { Scene } from "./scene.ts";
import { sandboxOf, survives } from "./survive.ts";

const stepsWithCalls = 5;
const reachedMs = 20_000;

export const killedInTool: Proof = {
  name: "SIGKILL in a tool: the effect is not repeated, the call is closed, nothing runs on",
  cases: { test: 3, prove: 250 },
  async check(index) {
    const random = seededRandom(index);
    const step = index % stepsWithCalls;
    const plan = makePlan({ waitsIn: step });
    await using scene = await Scene.open({ plan, sandbox: sandboxOf(index) });
    const line = `effect of step ${step}`;
    scene.start();
    await eventually(
      `the command of step ${step} has had its effect`,
      () => scene.effects().includes(line),
      reachedMs,
    );
    scene.kill();
    await scene.ended();
    // Half of the owners come back at once, the others when what was running has had the time to end by itself.
    if (random.below(2) === 0) await scene.nothingAlive();
    await survives(scene);
    const unknown = scene.log().filter(({ kind, item }) => {
      const { summary } = (item ?? {}) as { summary?: string };
      return kind === "tool_result" && summary === "outcome unknown, check before repeating";
    });
    assert.ok(unknown.length >= 1, "the call that was killed is closed as unknown");
  },
};
