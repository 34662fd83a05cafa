/** The first kills at an open stream. */
import { proofTest } from "../support/proof.ts";
import { killedInStream } from "./in-stream.proof.ts";

proofTest(killedInStream);
