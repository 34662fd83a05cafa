/** Deaths around commands of the user: at every operation of the disk once, at random ones several times, and that broken promises are seen. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { proofTest } from "../support/proof.ts";
import { commandCase } from "./command-crash.ts";
import { commandCrashes } from "./command-crash.proof.ts";

for (const by of ["kill", "power"] as const) {
  test(`a ${by} at every operation of the disk from the first on: a command runs at most once, and is told once`, async () => {
    const {
      operations: [operations = 0],
    } = await commandCase({ deaths: [] });
    assert.ok(operations > 30, `only ${operations} operations`);
    const problems: string[] = [];
    const ends = new Set<string>();
    for (let operation = 1; operation <= operations; operation += 1) {
      try {
        for (const end of (await commandCase({ deaths: [{ operation, by }] })).ends) ends.add(end);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        problems.push(`operation ${operation}: ${error.message}`);
      }
    }
    assert.deepEqual(problems, []);
    // Some died in the middle.
    assert.deepEqual([...ends].toSorted(), ["exited", "unknown"]);
  });
}

proofTest(commandCrashes);

test("control: a disk that syncs nothing is seen, by the record that a power cut would take back", async () => {
  await assert.rejects(commandCase({ deaths: [], lies: true }), /runs without a durable record/);
});

test("control: whoever asks under another name after a death is seen to run it again", async () => {
  const {
    operations: [operations = 0],
  } = await commandCase({ deaths: [] });
  const again = commandCase({ deaths: [{ operation: operations - 1, by: "kill" }], renames: true });
  await assert.rejects(again, /runs again/);
});
