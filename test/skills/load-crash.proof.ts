/** Loading a skill on a machine that dies: at each disk operation of a life, with what the kernel keeps and without. */
import type { Proof } from "../support/proof.ts";
import { loadCase } from "./load-crash.ts";

/** At least as many as the life has. */
export const operationsMax = 100;
/** Has no factor in common with how many cases there are. */
const stride = 37;

export const loadCrash: Proof = {
  name: "a skill that is loaded while the machine dies: who is told that it is there has its text",
  cases: { test: 40, prove: 2 * operationsMax },
  async check(index) {
    const at = (index * stride) % (2 * operationsMax);
    await loadCase(Math.floor(at / 2), { loss: at % 2 === 0 ? "power" : "process", recalls: true });
  },
};
