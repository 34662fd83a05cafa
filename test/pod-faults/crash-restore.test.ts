/** Crash and restore: the property, that a seed is a case to the bit, and that planted bugs are found. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { proofTest } from "../support/proof.ts";
import { crashCase } from "./crash-restore.ts";
import { crashOnFailingDisk, crashRestore } from "./crash-restore.proof.ts";
import { plantedBugs, type PlantedBug } from "./planted.ts";

proofTest(crashRestore);
proofTest(crashOnFailingDisk);

test("the same seed is the same case to the bit: every operation of the disk, and the log", async () => {
  for (const seed of [3, 11, 42]) {
    const { trace, log } = await crashCase(seed);
    const again = await crashCase(seed);
    assert.deepEqual([again.trace, again.log], [trace, log], `seed ${seed}`);
    assert.notEqual((await crashCase(seed + 1)).trace, trace);
  }
});

/** The first seed that finds it, with what it says. */
async function finding({
  plant,
  withinSeeds,
}: PlantedBug): Promise<{ seed: number; message: string } | null> {
  for (let seed = 0; seed < withinSeeds; seed += 1) {
    try {
      await crashCase(seed, plant());
    } catch (error) {
      return { seed, message: error instanceof Error ? error.message : String(error) };
    }
  }
  return null;
}

for (const bug of plantedBugs) {
  test(`control: it is found within ${bug.withinSeeds} seeds that ${bug.name}`, async () => {
    const found = await finding(bug);
    assert.ok(found !== null, "it was not found");
    assert.match(found.message, bug.found);
    // What was found is found again, in the same words.
    await assert.rejects(crashCase(found.seed, bug.plant()), { message: found.message });
  });
}
