/** Each submission is on record once, however often its connection broke and it was repeated. */
import type { Proof } from "../support/proof.ts";
import { eachSubmittedOnce } from "./submissions.ts";

const submissionsOfCase = 1_000;
const killsMax = 6;

export const submittedOnce: Proof = {
  name: `${submissionsOfCase} submissions with broken connections, repeats and SIGKILL of the Pod, each once`,
  cases: { test: 1, prove: 10 },
  check: (index) =>
    eachSubmittedOnce({
      seed: index,
      submissions: submissionsOfCase,
      kills: 2 + (index % (killsMax - 1)),
    }),
};
