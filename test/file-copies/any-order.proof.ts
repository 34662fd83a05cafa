/** Random changes of files, put back. */
import type { Proof } from "../support/proof.ts";
import { anyOrderCase } from "./any-order.ts";

export const anyOrder: Proof = {
  name: "files that tools, commands and the user changed in any order: what is put back is as it was, and nothing of the user's is lost",
  cases: { test: 5, prove: 1000 },
  check: anyOrderCase,
};
