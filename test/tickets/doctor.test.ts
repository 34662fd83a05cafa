/** The first roots in which anything may stand. */
import { proofTest } from "../support/proof.ts";
import { nothingLost } from "./doctor.proof.ts";

proofTest(nothingLost);
