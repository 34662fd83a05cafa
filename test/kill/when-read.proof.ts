/** SIGKILL at the instant the server has read a request: what the model has seen by then is on disk. */
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import type { Proof } from "../support/proof.ts";
import { makePlan } from "./plan.ts";
import { Scene } from "./scene.ts";
import { sandboxOf, survives } from "./survive.ts";

const plan = makePlan({ waitsIn: null });
/** A killed Pod asks again, so there are more requests than steps. */
const killsMax = 3;

export const killedWhenRead: Proof = {
  name: "SIGKILL when the server has read a request loses nothing and repeats nothing",
  cases: { test: 3, prove: 250 },
  async check(index) {
    const random = seededRandom(index);
    const requests = plan.steps.length;
    const kills = new Set([index % requests]);
    while (kills.size < killsMax && random.below(3) === 0) kills.add(random.below(requests + kills.size));
    let kill = (): void => {};
    await using scene = await Scene.open({
      plan,
      sandbox: sandboxOf(index),
      onSeen: (_, at) => {
        if (kills.has(at)) kill();
      },
    });
    kill = () => scene.kill();
    while (scene.seen.length <= Math.max(...kills)) {
      scene.start();
      await scene.ended();
    }
    await survives(scene);
  },
};
