/** The first session of the real program, scaled. */
import { proofTest } from "../support/proof.ts";
import { killedLongSessions } from "./killed.proof.ts";

proofTest(killedLongSessions);
