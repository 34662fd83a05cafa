/** The first cases of a registry that is deleted, or replaced by an older copy, between any two verbs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { proofTest } from "../support/proof.ts";
import { lostCase, lostRegistry, olderCase, olderRegistry } from "./lost-registry.proof.ts";

proofTest(lostRegistry);
proofTest(olderRegistry);

test("cases that found a defect hold", async () => {
  for (const seed of [346]) await lostCase(seed);
});

test("control: a registry that is not made again from what is held gives other answers", async () => {
  const cases = await Promise.allSettled(
    Array.from({ length: 8 }, (_, seed) => lostCase(seed, { rebuild: async () => [] })),
  );
  assert.ok(cases.some(({ status }) => status === "rejected"));
});

test("control: an older copy that nobody compares with those who live lets a second writer in", async () => {
  const cases = await Promise.allSettled(
    Array.from({ length: 12 }, (_, seed) => olderCase(seed, { holders: async () => [] })),
  );
  assert.ok(cases.some((one) => one.status === "rejected" && /both write/.test(String(one.reason))));
});
