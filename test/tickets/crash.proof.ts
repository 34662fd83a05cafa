/** Whatever operation of whatever verb crashes or fails: the ticket is as before or as after, what was acknowledged is there once, and the next write mends the rest. */
import assert from "node:assert/strict";
import type { DiskEffect } from "@yoi/host";
import type { Proof } from "../support/proof.ts";
import { crashCase, verbs } from "./crash.ts";

/** More than any verb has: the cases behind its last operation say so and are done at once. */
export const operationsMax = 32;
const effects: readonly DiskEffect[] = ["crash", "crash", "crash", "EIO", "ENOSPC", "EACCES", { short: 7 }];
const count = verbs.length * operationsMax * effects.length;
/** Prime, so that the first cases are spread over all of them. */
const stride = 2_741;

export const ticketCrash: Proof = {
  name: "tickets: an operation of a verb crashes or fails",
  cases: { test: 40, prove: count * 4 },
  async check(index) {
    const place = (index * stride) % count;
    const verb = verbs[place % verbs.length];
    const at = Math.floor(place / verbs.length) % operationsMax;
    const effect = effects[Math.floor(place / verbs.length / operationsMax)];
    assert.ok(verb !== undefined && effect !== undefined);
    try {
      await crashCase(verb, { at, effect }, { seed: index });
    } catch (cause) {
      throw new Error(`${verb.name}, operation ${at}, ${JSON.stringify(effect)}`, { cause });
    }
  },
};
