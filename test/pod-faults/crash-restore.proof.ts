/** A Pod on a simulated disk that crashes at random moments, recovery included: nothing that left the machine is lost, doubled or run twice. */
import type { Proof } from "../support/proof.ts";
import { crashCase } from "./crash-restore.ts";

export const crashRestore: Proof = {
  name: "crash and restore over the simulated disk: nothing acknowledged, shown or done is lost or doubled",
  cases: { test: 30, prove: 5000 },
  async check(index) {
    await crashCase(index);
  },
};

export const crashOnFailingDisk: Proof = {
  name: "crash and restore on a disk that also fails: what was refused stays away, what was acknowledged stays there",
  cases: { test: 15, prove: 3000 },
  async check(index) {
    await crashCase(index, { failures: true });
  },
};
