/** Cancel and pause wherever an await goes on: the first cases. */
import { proofTest } from "../support/proof.ts";
import { stopAtAwait } from "./stop-await.proof.ts";

proofTest(stopAtAwait);
