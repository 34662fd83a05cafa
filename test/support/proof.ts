/** Proof: a fault property checked case by case. `npm test` runs its first cases, `npm run prove` goes on through all of them. */
import test from "node:test";

export interface Proof {
  /** Stable and unique: `npm run prove` keeps its position under this name. */
  readonly name: string;
  readonly cases: {
    /** How many `npm test` runs. */
    readonly test: number;
    /** How many make the full count. */
    readonly prove: number;
  };
  /** Checks case `index`; throws when the property does not hold. The index is the seed: the same index is the same case. */
  check(index: number): Promise<void>;
}

/** Registers the first cases as one test; a failure names the case, so that it can be run alone. */
export function proofTest(proof: Proof): void {
  test(`${proof.name} (${proof.cases.test} of ${proof.cases.prove} cases, seeds 0 to ${proof.cases.test - 1})`, async () => {
    for (let index = 0; index < proof.cases.test; index += 1) {
      try {
        await proof.check(index);
      } catch (cause) {
        throw new Error(`${proof.name}: case ${index} failed`, { cause });
      }
    }
  });
}
