/** The first cases of a registry that is deleted between any two verbs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { proofTest } from "../support/proof.ts";
import { lostCase, lostRegistry } from "./lost-registry.proof.ts";

proofTest(lostRegistry);

test("cases that found a defect hold", async () => {
  for (const seed of [346]) await lostCase(seed);
});

test("control: a registry that is not made again from what is held gives other answers", async () => {
  const cases = await Promise.allSettled(
    Array.from({ length: 8 }, (_, seed) => lostCase(seed, { rebuild: async () => [] })),
  );
  assert.ok(cases.some(({ status }) => status === "rejected"));
});
