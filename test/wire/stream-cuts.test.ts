/** The first cases of the proofs about cut streams, and that every provider has one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { providerRows } from "../support/providers.ts";
import { proofTest, type Proof } from "../support/proof.ts";
import * as proofs from "./stream-cuts.proof.ts";

const cuts: readonly Proof[] = Object.values(proofs);
for (const proof of cuts) proofTest(proof);

test("every provider's streams are cut", () => {
  const named = Object.values(providerRows).filter(({ provider }) =>
    cuts.some(({ name }) => name.includes(` ${provider} `)),
  );
  assert.equal(named.length, Object.keys(providerRows).length);
});
