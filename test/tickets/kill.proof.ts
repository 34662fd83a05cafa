/** Writers of tickets, killed with SIGKILL while they write. */
import type { Proof } from "../support/proof.ts";
import { killCase } from "./kill.ts";

export const ticketKill: Proof = {
  name: "tickets: SIGKILL while processes write",
  cases: { test: 2, prove: 300 },
  check: (index) => killCase(index),
};
