/** Damaged metadata, case by case, and a reader that believes what it finds. */
import assert from "node:assert/strict";
import test from "node:test";
import { proofTest } from "../../../test/support/proof.ts";
import type { PodRecord } from "../src/index.ts";
import { checkDamage, damagedMetadata } from "./damage.proof.ts";

proofTest(damagedMetadata);

test("control: a reader without the checksum takes damage for a record", async () => {
  const believing = async (_: unknown, bytes: Buffer): Promise<PodRecord> =>
    JSON.parse(bytes.toString()) as PodRecord;
  let caught = 0;
  for (let index = 0; index < 26; index += 1) await checkDamage(index, believing).catch(() => (caught += 1));
  assert.ok(caught >= 10, `${caught} of 26`);
});
