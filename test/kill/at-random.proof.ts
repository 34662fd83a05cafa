/** SIGKILL at any time, again and again, until the run is over. */
import { setTimeout as delay } from "node:timers/promises";
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import { eventually } from "../support/processes.ts";
import type { Proof } from "../support/proof.ts";
import { makePlan } from "./plan.ts";
import { Scene } from "./scene.ts";
import { sandboxOf, survives } from "./survive.ts";

const plan = makePlan({ waitsIn: null });
const startMsMax = 300;
const stepMsMax = 40;

export const killedAtRandom: Proof = {
  name: "SIGKILL at random times, up to three in one run",
  cases: { test: 3, prove: 250 },
  async check(index) {
    const random = seededRandom(index);
    await using scene = await Scene.open({
      plan,
      sandbox: sandboxOf(index),
      // Some answers take their time, so that kills hit streams too.
      play: () => (random.below(2) === 0 ? {} : { eventDelayMs: 1 }),
    });
    const kills = 1 + random.below(3);
    for (let killed = 0; killed < kills && !scene.finished(); killed += 1) {
      const process = scene.start();
      let over = false;
      void process.ended.finally(() => (over = true));
      if (random.below(4) === 0) {
        await delay(random.below(startMsMax));
      } else {
        const target = scene.seen.length + 1 + random.below(plan.steps.length);
        await eventually(
          "the request is seen, or the run is over",
          () => over || scene.seen.length >= target,
          30_000,
        );
        await delay(random.below(stepMsMax));
      }
      scene.kill();
      await scene.ended();
    }
    await survives(scene);
  },
};
