/** A gigabyte without a line's end costs a Pod no memory to speak of. */
import type { Proof } from "../support/proof.ts";
import { mebibyte } from "./bounds.ts";
import { hugeLine } from "./huge-line.ts";

export const gigabyteLine: Proof = {
  name: "a line of 1 GB before and after hello is bounded, and the Pod alive",
  cases: { test: 0, prove: 4 },
  check: async (index) => {
    await hugeLine(1024 * mebibyte, index % 2 === 0 ? "before hello" : "after hello");
  },
};
