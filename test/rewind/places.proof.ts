/** Random sessions at random places of their whole life. */
import type { Proof } from "../support/proof.ts";
import { placesCase } from "./places.ts";

export const places: Proof = {
  name: "a session at any place of its life: what was there is there, and what was promised is kept",
  cases: { test: 12, prove: 3000 },
  check: placesCase,
};
