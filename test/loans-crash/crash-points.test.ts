/** The first crash points of a parent's day, and the control: a parent that takes a loan back on hearsay. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lease, PodStore } from "@yoi/pod-store";
import type { Registry } from "@yoi/scope/registry";
import { proofTest } from "../support/proof.ts";
import { crashPoints } from "./crash-points.proof.ts";
import { crashed } from "./crash-points.ts";

proofTest(crashPoints);

test("the control: a parent that puts no task on record is found out", async () => {
  const forgetful = (pods: PodStore): PodStore => ({
    ...pods,
    putChild: (name, expected, { task: _, ...child }) => pods.putChild(name, expected, child),
  });
  const found: unknown[] = [];
  for (let nth = 4; nth <= 8; nth += 1) {
    const point = { nth, moment: "after", alsoChildren: false } as const;
    await crashed(point, { wrapPods: forgetful }).catch((error: Error) => found.push(error.message));
  }
  assert.ok(found.includes("kid was given its task 0 times"), JSON.stringify(found));
});

test("the control: a parent that takes loans back without the leases of those that have them is found out", async () => {
  const gullible = (lease: Lease): Lease => ({
    ...lease,
    acquire: async (name, purpose) =>
      purpose === "reclaim" ? { name, release: async () => {} } : lease.acquire(name, purpose),
  });
  const forgets = (registry: Registry): Registry => ({ ...registry, reclaim: async () => {} });
  const point = { nth: 20, moment: "after", alsoChildren: false } as const;
  await assert.rejects(crashed(point, { wrapLease: gullible, wrapRegistry: forgets }), {
    message: /^\/w\/[ab]\/x can be written by \w+ and \w+$/,
  });
  // The registry alone knows better: a process that lives.
  await crashed(point, { wrapLease: gullible });
});
