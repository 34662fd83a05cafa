/** Writes that fail in the middle of a lend: what is stored all the same, what is not, and what a Pod can do afterwards. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import type { PodStore } from "@yoi/pod-store";
import type { Registry } from "@yoi/scope/registry";
import { refused, writes } from "./asserting.ts";
import { aCall, aRequest, SimulatedTree } from "../../../../test/support/simulated-tree.ts";

const failed = (what: string) => new YoiError("io_failed", `the disk failed: ${what}`);

/** The next write of a child fails at its last step, when it is stored already; `reads`: and so many reads behind it. */
function storedAllTheSame(fault: { isDue: boolean; reads: number }): (pods: PodStore) => PodStore {
  return (pods) => ({
    ...pods,
    putChild: async (...given) => {
      const stored = await pods.putChild(...given);
      if (!fault.isDue) return stored;
      fault.isDue = false;
      throw failed("the directory was not synced");
    },
    read: async (name) => {
      if (name !== "parent" || fault.isDue || fault.reads === 0) return pods.read(name);
      fault.reads -= 1;
      throw failed("nothing is read");
    },
  });
}

test("a write that failed behind its last step is known: the loan comes back, and the Pod can lend again and end", async () => {
  for (const reads of [0, 1]) {
    const fault = { isDue: false, reads: 0 };
    const tree = new SimulatedTree({ wrapPods: storedAllTheSame(fault) });
    const parent = await tree.open("parent");
    Object.assign(fault, { isDue: true, reads });
    await refused(parent.manage.spawn(aRequest("kid", "/w/a"), aCall()), "io_failed", /was not synced/);
    const { children, reclaimed } = await tree.record("parent");
    assert.deepEqual([children, reclaimed, writes(parent, "/w/a/x")], [[], [], true]);
    await parent.manage.spawn(aRequest("kid", "/w/a"), aCall());
    await tree.through(parent.end());
    assert.notEqual((await tree.record("parent")).closedHead, null);
  }
});

test("while nobody can tell whether a loan is on record it stays lent, and the sentence says so", async () => {
  const fault = { isDue: false, reads: 0 };
  const tree = new SimulatedTree({ wrapPods: storedAllTheSame(fault) });
  const parent = await tree.open("parent");
  Object.assign(fault, { isDue: true, reads: 2 });
  await refused(
    parent.manage.spawn(aRequest("kid", "/w/a"), aCall()),
    "io_failed",
    /was not synced And what was lent to kid is still lent: the disk failed: nothing is read/,
  );
  assert.ok(!writes(parent, "/w/a/x"));
  await tree.through(parent.manage.stop("kid", aCall())).catch(() => {});
  parent.process.kill();
  const again = await tree.open("parent");
  assert.ok(writes(again, "/w/a/x"));
});

test("a loan that was never on record does not outlive its call, whatever else fails", async () => {
  const fault = { isFull: false };
  const full = (): void => {
    if (fault.isFull) throw new YoiError("disk_full", "no room");
  };
  const tree = new SimulatedTree({
    wrapPods: (pods: PodStore) => ({
      ...pods,
      putChild: async (...given) => (full(), pods.putChild(...given)),
    }),
    wrapRegistry: (registry: Registry) => ({
      ...registry,
      reclaim: async (...given) => (full(), registry.reclaim(...given)),
    }),
  });
  const parent = await tree.open("parent");
  fault.isFull = true;
  await refused(parent.manage.spawn(aRequest("kid", "/w/a"), aCall()), "disk_full", /no room/);
  fault.isFull = false;
  assert.deepEqual([parent.scope.loans, writes(parent, "/w/a/x")], [[], true]);
  await parent.manage.spawn(aRequest("kid", "/w/a"), aCall());
});
