/** Inputs that wait, on a machine that dies while its user cancels, pauses and takes back: each is given once, waits, or was taken back. */
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import type { Proof } from "../support/proof.ts";
import { type Disturbance, queueCase } from "./queue-crash.ts";

/** At least as many as the first life has. */
const momentsMax = { disk: 100, commit: 40, event: 50 } as const;
const places = ["disk", "commit", "event"] as const;
const whats = ["kill", "power", "cancel", "pause"] as const;

/** Every moment of the first life, with everything that can happen there. */
const all: readonly Disturbance[] = places.flatMap((at) =>
  whats.flatMap((what) =>
    Array.from({ length: momentsMax[at] }, (_, index): Disturbance => ({ at, nth: index + 1, what })),
  ),
);
/** Has no factor in common with how many there are, so that the first cases lie everywhere. */
const stride = 233;

export const everyMoment: Proof = {
  name: "the queue, disturbed at each moment: nothing acknowledged is lost, given twice, or given and taken back",
  cases: { test: 40, prove: all.length },
  async check(index) {
    const disturbance = all[(index * stride) % all.length];
    await queueCase({ disturbances: disturbance === undefined ? [] : [disturbance] });
  },
};

export const severalMoments: Proof = {
  name: "the queue, disturbed several times over several lives: nothing acknowledged is lost, given twice, or given and taken back",
  cases: { test: 25, prove: 3000 },
  async check(index) {
    const random = seededRandom(index ^ 0x2f6e2b1);
    const disturbances = Array.from({ length: 2 + random.below(4) }, (): Disturbance => {
      const at = places[random.below(places.length)] ?? "disk";
      const what = whats[random.below(whats.length)] ?? "kill";
      return { at, nth: 1 + random.below(momentsMax[at]), what };
    });
    await queueCase({ disturbances });
  },
};
