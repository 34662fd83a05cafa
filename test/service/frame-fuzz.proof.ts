/** Arbitrary lines to what reads frames: a value, or a refusal in one sentence; never another exception, a changed prototype or a hang. */
import { checkInput, noCounts, realReaders } from "../../packages/protocol/test/support/frame-fuzz.ts";
import type { Proof } from "../support/proof.ts";

const inputsPerCase = 100;
/** `npm test` has these in packages/protocol/test/frame-fuzz.test.ts. */
const inputsOfUnitTest = 20_000;

export const frameFuzz: Proof = {
  name: `frames: fuzzed readers (${inputsPerCase} inputs a case)`,
  cases: { test: 0, prove: 5_000 },
  async check(index) {
    const first = inputsOfUnitTest + index * inputsPerCase;
    for (let seed = first; seed < first + inputsPerCase; seed += 1) checkInput(seed, realReaders, noCounts());
  },
};
