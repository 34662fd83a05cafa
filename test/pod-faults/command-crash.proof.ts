/** Several deaths around commands of the user, at random operations, recovery included. */
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import type { Proof } from "../support/proof.ts";
import { commandCase, type CommandDeath } from "./command-crash.ts";

const operationsOfLife = 60;

export const commandCrashes: Proof = {
  name: "deaths around commands of the user: each runs at most once, behind a durable record, and what came of it is told once",
  cases: { test: 20, prove: 4000 },
  async check(index) {
    const random = seededRandom(index ^ 0x2c0de5a1);
    const deaths = Array.from({ length: 1 + random.below(4) }, (): CommandDeath => ({
      operation: 1 + random.below(operationsOfLife),
      by: random.below(2) === 0 ? "kill" : "power",
    }));
    await commandCase({ deaths });
  },
};
