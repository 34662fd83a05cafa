/** The first random sequences of loans. */
import { proofTest } from "../support/proof.ts";
import { loansModel } from "./loans-model.proof.ts";

proofTest(loansModel);
