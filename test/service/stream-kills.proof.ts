/** Clients come and go while the Pod is killed and restored: none misses an entry, none gets one twice. */
import type { Proof } from "../support/proof.ts";
import { streamsSurvive } from "./streams.ts";

const killsMax = 5;

export const streamsThroughKills: Proof = {
  name: "three clients with broken connections have the log's own sequence through SIGKILL of the Pod",
  cases: { test: 1, prove: 100 },
  check: (index) => streamsSurvive({ seed: index, kills: 1 + ((index + 2) % killsMax) }),
};
