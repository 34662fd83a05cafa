/** The first cases of the fuzz of item.md and thread.md. */
import { proofTest } from "../support/proof.ts";
import { items, threads } from "./fuzz.proof.ts";

proofTest(items);
proofTest(threads);
