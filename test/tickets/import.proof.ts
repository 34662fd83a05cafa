/** An import of any old layout loses nothing, and one that is killed at any operation of the disk and run again comes to the same. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { crashAt, type Files, HostCrashed } from "@yoi/host";
import { createTicketStore } from "@yoi/tickets";
import { deskOf, hare } from "../../packages/tickets/test/doctor/tree.ts";
import { assertAllComesIn, planted, stands } from "../../packages/tickets/test/import/all-comes-in.ts";
import { oldRoot, oldTrees } from "../../packages/tickets/test/import/old-tree.ts";
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import type { Proof } from "../support/proof.ts";

export const importKilled: Proof = {
  name: "tickets: an import that is killed and run again",
  cases: { test: 40, prove: 10_000 },
  check: (index) => killAndRunAgain(index, (files) => files),
};

/** Trees of one case: starting a generator costs more than a tree. */
const treesPerCase = 10;

export const importedWhole: Proof = {
  name: "tickets: an import in which nothing is lost",
  cases: { test: 4, prove: 1_000 },
  async check(index) {
    for (const tickets of fc.sample(oldTrees, { seed: index, numRuns: treesPerCase }))
      await assertAllComesIn(tickets);
  },
};

/** @param written how the import's writes come to the disk. */
export async function killAndRunAgain(index: number, written: (files: Files) => Files): Promise<void> {
  const [tickets = []] = fc.sample(oldTrees, { seed: index, numRuns: 1 });
  const whole = (await planted(tickets)).host;
  const before = whole.disk.operations;
  await createTicketStore(deskOf(whole)).importOld(oldRoot, hare);
  const count = whole.disk.operations - before;
  const expected = await stands(whole);

  let host = (await planted(tickets)).host;
  const random = seededRandom(index);
  // The second import may be killed too.
  for (const kills of [1, 2]) {
    host.disk.plan = crashAt(host.disk.operations + 1 + Math.floor(random.next() * count));
    const desk = deskOf(host);
    const outcome = await createTicketStore({ ...desk, files: written(desk.files) })
      .importOld(oldRoot, hare)
      .then(
        () => "done",
        (error: unknown) => {
          if (error instanceof HostCrashed) return "killed";
          throw error;
        },
      );
    if (kills === 1) assert.equal(outcome, "killed");
    host = host.restart();
  }
  const store = createTicketStore(deskOf(host));
  const report = await store.importOld(oldRoot, hare);
  assert.equal(report.imported.length + report.known.length, tickets.length);
  // What a killed writer of the root's own files left.
  await store.doctor({ fix: true });
  assert.deepEqual(await stands(host), expected);
  assert.deepEqual((await store.doctor({ fix: false })).problems, []);
}
