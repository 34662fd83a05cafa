/** The first cases of the proof about cut streams. */
import { proofTest } from "../support/proof.ts";
import { streamCuts } from "./stream-cuts.proof.ts";

proofTest(streamCuts);
