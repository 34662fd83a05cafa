/** The whole way of a ticket through three Pods on a real repository: from the queue to the branch that a person merges, with Pods killed on the way. */
import test from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { proofTest } from "../support/proof.ts";
import { orchestration } from "./orchestration.proof.ts";

const reason = noBubblewrap();
if (reason === false) proofTest(orchestration);
else test(orchestration.name, { skip: reason });
