/** An import that is large, or is killed: at each operation of a plain one, and the first cases of any; and that they find one whose writes come in another order. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { crashAt, type Files, HostCrashed } from "@yoi/host";
import { createTicketStore } from "@yoi/tickets";
import { timeOfTicketId } from "../../packages/tickets/src/ticket-id.ts";
import { deskOf, hare } from "../../packages/tickets/test/doctor/tree.ts";
import { planted, stands } from "../../packages/tickets/test/import/all-comes-in.ts";
import { oldRoot, plain } from "../../packages/tickets/test/import/old-tree.ts";
import { proofTest } from "../support/proof.ts";
import { importedWhole, importKilled, killAndRunAgain } from "./import.proof.ts";

proofTest(importKilled);
proofTest(importedWhole);

test("killed at any operation and run again, an import comes to the same", async () => {
  const tickets = [plain("one", { noise: ["Notes.\n", ""] })];
  const whole = await planted(tickets);
  const first = whole.host.disk.operations;
  await whole.store.importOld(oldRoot, hare);
  const count = whole.host.disk.operations - first;
  const expected = await stands(whole.host);
  let isTorn = false;
  for (let index = 1; index <= count; index += 1) {
    const { host, store } = await planted(tickets);
    host.disk.plan = crashAt(host.disk.operations + index);
    await assert.rejects(store.importOld(oldRoot, hare), HostCrashed);
    const next = host.restart();
    isTorn ||= Object.keys(await stands(next)).some((path) => path.endsWith("item.md"));
    const again = createTicketStore(deskOf(next));
    const report = await again.importOld(oldRoot, hare);
    assert.equal(report.imported.length + report.known.length, tickets.length);
    // What a killed writer of the root's own files left.
    await again.doctor({ fix: true });
    assert.deepEqual(await stands(next), expected, `killed at operation ${index} of ${count}`);
    assert.deepEqual((await again.doctor({ fix: false })).problems, []);
  }
  assert.ok(isTorn, "some were killed in the middle of a ticket");
});

/** What makes a ticket of an old one comes to the disk before what belongs to it. */
function threadFirst(files: Files): Files {
  const waiting: (() => Promise<void>)[] = [];
  return {
    ...files,
    async replace(path, data) {
      if (/\/(?:artifacts\/.*|item\.md|resolution\.md)$/.test(path)) {
        waiting.push(() => files.replace(path, data));
        return;
      }
      await files.replace(path, data);
      for (const write of waiting.splice(0)) await write();
    },
  };
}

test("control: with the thread written first, a killed import is not made whole", async () => {
  const failed: number[] = [];
  for (let index = 0; index < importKilled.cases.test; index += 1)
    await killAndRunAgain(index, threadFirst).catch((error: unknown) => {
      if (!(error instanceof assert.AssertionError)) throw error;
      failed.push(index);
    });
  assert.ok(failed.length >= 5, `only the cases ${failed.join(", ")} found it`);
});

test("more tickets of one second than it has milliseconds come in, each under an id of its own", async () => {
  const count = 1_001;
  const old = Array.from({ length: count }, (_, at) => plain(`n${at}`, { events: [], artifacts: {} }));
  const { host, store } = await planted(old);
  let looks = 0;
  const { stat } = host.files;
  host.files.stat = (path) => {
    looks += 1;
    return stat(path);
  };
  const report = await store.importOld(oldRoot, hare);
  assert.deepEqual([report.imported.length, report.refused], [count, []]);
  assert.deepEqual(
    report.imported.map(({ id }) => timeOfTicketId(id)),
    Array.from({ length: count }, (_, at) => Date.UTC(2026, 5, 3, 12, 23, 17) + at),
  );
  assert.ok(looks < count * 40, `the work for each does not grow with their number: ${looks} looks`);
  host.files.stat = stat;
  const again = await store.importOld(oldRoot, hare);
  assert.deepEqual([again.imported.length, again.known.length], [0, count]);
});
