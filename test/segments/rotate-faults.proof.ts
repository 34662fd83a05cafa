/** A rotation under every fault at every operation of the disk: the old segment or the new one, never a mix, and the Pod goes on. */
import type { Proof } from "../support/proof.ts";
import { operationsOfRotation, rotateCase } from "./rotate-faults.ts";

let operations: Promise<number> | null = null;

export const rotationFaults: Proof = {
  name: "a rotation that fails or dies at any operation: the old segment or the new one, whole, and both verify",
  cases: { test: 80, prove: 2000 },
  async check(index) {
    operations ??= operationsOfRotation();
    await rotateCase(index, await operations);
  },
};
