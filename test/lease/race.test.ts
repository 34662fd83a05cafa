/** The races for a lease, and the lock that loses them. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { proofTest } from "../support/proof.ts";
import { Starter } from "./crew.ts";
import { Race } from "./race.ts";
import { leaseRace } from "./race.proof.ts";

proofTest(leaseRace);

test("control: a pid file that is taken over from a dead owner has several winners in the same race", async () => {
  await using race = await Race.open(16);
  const dead = new Starter(race.dataDir);
  await dead.kill();
  const path = `${race.dataDir}/pod.pid`;
  writeFileSync(path, String(dead.pid));
  const { winners } = await race.runPidFile(path);
  assert.ok(winners.length > 1, `${winners.length} won`);
});
