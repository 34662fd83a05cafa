/** Lost sectors, and the controls that show how often the rule has something to decide. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeLog } from "@yoi/session-store";
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import { sampleRef } from "../../packages/session-store/test/support/sample-log.ts";
import { proofTest } from "../support/proof.ts";
import { buildLog, holeInSyncedWrite, loseSectors, tornLastWrite } from "./torn-write.proof.ts";

proofTest(tornLastWrite);
proofTest(holeInSyncedWrite);

test("control: most holes in an earlier write are told from a torn tail, and the same hole without the later writes is not", () => {
  const verdicts = { damage: 0, torn: 0, tornWithoutLater: 0 };
  for (let seed = 0; seed < 500; seed += 1) {
    const random = seededRandom(seed);
    const { bytes, writes } = buildLog(random);
    const hit = writes[1 + random.below(writes.length - 2)] ?? assert.fail();
    loseSectors(random, bytes, hit);
    const damaged = (log: Buffer) => decodeLog(log, { path: "/log.jsonl", ref: sampleRef }).damage !== null;
    verdicts[damaged(bytes) ? "damage" : "torn"] += 1;
    if (!damaged(bytes.subarray(0, hit.to))) verdicts.tornWithoutLater += 1;
  }
  assert.ok(verdicts.damage > 300 && verdicts.torn > 0, JSON.stringify(verdicts));
  assert.equal(verdicts.tornWithoutLater, 500);
});
