/** The first cases of the proofs about damaged streams. */
import { proofTest } from "../support/proof.ts";
import * as proofs from "./stream-mutations.proof.ts";

for (const proof of Object.values(proofs)) proofTest(proof);
