/** A crash at every operation of the disk while a Pod is told of tickets. */
import type { Proof } from "../support/proof.ts";
import { followed, judge } from "./follow-crash.ts";

/** More than a life has; one that does not come is a life without a crash. */
const operationsMax = 80;

export const followCrash: Proof = {
  name: "news of tickets are told once over a crash at any operation",
  cases: { test: 12, prove: 2 * operationsMax },
  check: async (index) => {
    // First all over a life, then what is between.
    const place = (index * 53) % (2 * operationsMax);
    judge(await followed({ operation: 1 + (place >> 1), loss: place % 2 === 0 ? "process" : "power" }));
  },
};
