/** Cancel and pause wherever an await of a Pod's day goes on, each of them: text, tools, hooks, notices, a resume and a run of its own. */
import assert from "node:assert/strict";
import type { Proof } from "../support/proof.ts";
import { stopped } from "./stop-anywhere.ts";

const kinds = ["cancel", "pause"] as const;
/** More than the awaits of a day. */
const awaitsMax = 3_000;
/** Spreads the first cases over the day; it has no divisor in common with `awaitsMax`, so that all of them are tried. */
const stride = 1_123;

export const stopAtAwait: Proof = {
  name: "a cancel or a pause at any await of a run: the log stays valid, nothing runs twice, and what follows works",
  cases: { test: 80, prove: kinds.length * awaitsMax },
  async check(index) {
    const kind = kinds[index % kinds.length] ?? "cancel";
    const nth = 1 + ((Math.floor(index / kinds.length) * stride) % awaitsMax);
    const end = await stopped({ kind, at: "await", nth });
    if (nth === awaitsMax) assert.equal(end, false, "the day has more awaits than are tried");
  },
};
