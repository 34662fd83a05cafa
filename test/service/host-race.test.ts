/** The race for one Pod, with fewer processes than in the proof. */
import test from "node:test";
import { oneHosts } from "./host-race.proof.ts";

/** Of each of the two races. */
const starters = 4;

test(`L1 and L2: ${starters} processes host one Pod at once, fresh and after a killed owner: exactly one does`, () =>
  oneHosts(starters));
