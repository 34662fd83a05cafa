/** The first kills at any moment. */
import { proofTest } from "../support/proof.ts";
import { killedAtRandom } from "./at-random.proof.ts";

proofTest(killedAtRandom);
