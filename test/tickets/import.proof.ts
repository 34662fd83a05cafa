/** An import of any old layout, killed at any operation of the disk and run again: it comes to what one that was not killed comes to. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { crashAt, type Files, HostCrashed, memoryHost, type MemoryHost } from "@yoi/host";
import { createTicketStore } from "@yoi/tickets";
import { deskOf, hare, nowMs, readTree, root } from "../../packages/tickets/test/doctor/tree.ts";
import { oldRoot, type OldTicket, oldTrees, plantOld } from "../../packages/tickets/test/import/old-tree.ts";
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import type { Proof } from "../support/proof.ts";

async function planted(tickets: readonly OldTicket[]): Promise<MemoryHost> {
  const host = memoryHost({ seed: 3, startMs: nowMs });
  await host.files.makeDirectory(`${oldRoot}/open`);
  await plantOld(host, tickets);
  return host;
}

async function stands(host: MemoryHost): Promise<Record<string, string>> {
  const { ".lock": _, ...files } = await readTree(host, root);
  return files;
}

export const importKilled: Proof = {
  name: "tickets: an import that is killed and run again",
  cases: { test: 40, prove: 10_000 },
  check: (index) => killAndRunAgain(index, (files) => files),
};

/** @param written how the import's writes come to the disk. */
export async function killAndRunAgain(index: number, written: (files: Files) => Files): Promise<void> {
  const [tickets = []] = fc.sample(oldTrees, { seed: index, numRuns: 1 });
  const whole = await planted(tickets);
  const before = whole.disk.operations;
  await createTicketStore(deskOf(whole)).importOld(oldRoot, hare);
  const count = whole.disk.operations - before;
  const expected = await stands(whole);

  let host = await planted(tickets);
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
