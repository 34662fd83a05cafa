/** Random changes of files, put back: the first cases. */
import { proofTest } from "../support/proof.ts";
import { anyOrder } from "./any-order.proof.ts";

proofTest(anyOrder);
