/** K6: SIGKILL of a parent, its child or both at each named point, as real processes: one writer, no loan leaked or doubled, each told once. */
import type { Proof } from "../support/proof.ts";
import { type Kill, killed, type Point, points, type Victim } from "./kill-points.ts";

const victims: readonly Victim[] = ["parent", "both", "child"];
/** What a kill is late by: a little, so that it falls between the points too. */
const lateMsMax = 12;

function killOf(index: number): Kill {
  const names = Object.keys(points) as Point[];
  // The last ones first: the first cases leave out two of the five of a beginning.
  const point = names[(index * (names.length - 1)) % names.length] ?? "the child is live";
  const victim = victims[(index + Math.floor(index / names.length)) % victims.length] ?? "parent";
  const round = Math.floor(index / (names.length * victims.length));
  return { point, victim, lateMs: round % (lateMsMax + 1) };
}

export const childrenKill: Proof = {
  name: "K6: SIGKILL of parent, child or both at named points: one writer, no loan leaked or doubled, each told once",
  cases: { test: 12, prove: 500 },
  check: (index) => killed(killOf(index)),
};
