/** The full count of kills in the middle of what a parent is told of its child. */
import type { Proof } from "../support/proof.ts";
import { crashCases, crashed, judge } from "./events-crash.ts";

/** So that the first cases are spread over all of them. */
const stride = 37;

export const eventsCrash: Proof = {
  name: "what ended in a child is told once, whoever is killed at whichever call to the disk",
  cases: { test: 12, prove: crashCases.length },
  async check(index) {
    const one = crashCases[(index * stride) % crashCases.length];
    if (one === undefined) throw new Error(`there is no case ${index}`);
    judge(await crashed(one, index + 1));
  },
};
