/** A parent dies at any of its writes, alone or with its children: every loan is open where its child lives, comes back once, and is told once. */
import assert from "node:assert/strict";
import type { Proof } from "../support/proof.ts";
import { crashed } from "./crash-points.ts";

/** More than the calls of a day. */
const callsMax = 96;
const kinds = [
  { moment: "before", alsoChildren: false },
  { moment: "after", alsoChildren: true },
  { moment: "after", alsoChildren: false },
  { moment: "before", alsoChildren: true },
] as const;
/** Spreads the first cases over the day; it has no divisor in common with the number of cases, so that all of them are tried. */
const stride = 37;
const casesMax = kinds.length * callsMax;

export const crashPoints: Proof = {
  name: "K6, W-39, W-45: a parent dies at any write of a lend, a stop, a restore or a reclaim: one writer, no loan leaked or doubled, each told once",
  cases: { test: 12, prove: casesMax },
  async check(index) {
    const at = (index * stride) % casesMax;
    const kind = kinds[at % kinds.length] ?? kinds[0];
    const nth = 1 + Math.floor(at / kinds.length);
    const isCut = await crashed({ nth, ...kind });
    if (nth === callsMax) assert.equal(isCut, false, "the day has more calls than are tried");
  },
};
