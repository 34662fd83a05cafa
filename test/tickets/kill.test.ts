/** Real processes, killed: what they said is there, nothing is torn, the lock is free at once. */
import { proofTest } from "../support/proof.ts";
import { ticketKill } from "./kill.proof.ts";

proofTest(ticketKill);
