/** Whatever point the power fails at, what a feature was told to be written is there, whole, and nothing else is. */
import type { Proof } from "../support/proof.ts";
import { crashCase } from "./state-crash.ts";

export const stateCrash: Proof = {
  name: "feature state over three crashes: what was acknowledged stays, and every value is one that was written",
  cases: { test: 100, prove: 20_000 },
  check: (index) => crashCase(index),
};
