/** The first kills at a request that was read. */
import { proofTest } from "../support/proof.ts";
import { killedWhenRead } from "./when-read.proof.ts";

proofTest(killedWhenRead);
