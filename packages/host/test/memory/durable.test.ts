/** What the platter holds can be looked at without an operation, and is what the worst power cut leaves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost, type MemoryHost } from "../../src/index.ts";

const text = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString());
const log = "/d/log";

async function written(host: MemoryHost) {
  await host.files.makeDirectory("/d");
  const file = await host.files.createAppend(log);
  await file.append(Buffer.from("synced"));
  await file.sync();
  return file;
}

test("a file is durable when its directory was synced, and as far as it was synced itself", async () => {
  const host = memoryHost({ seed: 1 });
  const file = await written(host);
  assert.equal(host.disk.durable(log), null);
  await host.files.syncDirectory("/d");
  assert.equal(text(host.disk.durable(log)), "synced");
  await file.append(Buffer.from(", not synced"));
  const { operations } = host.disk;
  const trace = host.disk.traceDigest();
  assert.equal(text(host.disk.durable(log)), "synced");
  assert.deepEqual([host.disk.operations, host.disk.traceDigest()], [operations, trace]);
  await file.sync();
  assert.equal(text(host.disk.durable(log)), "synced, not synced");
});

test("no power cut leaves less than what was durable", async () => {
  for (let seed = 0; seed < 50; seed += 1) {
    const host = memoryHost({ seed });
    const file = await written(host);
    await host.files.syncDirectory("/d");
    await file.append(Buffer.from(", not synced"));
    const durable = text(host.disk.durable(log)) ?? "";
    const left = text(await host.restart().files.read(log)) ?? "";
    assert.ok(left.startsWith(durable), `seed ${seed}: ${left}`);
  }
});

test("control: a sync that lies makes nothing durable", async () => {
  const host = memoryHost({ seed: 1 });
  host.disk.plan = ({ kind }) => (kind === "sync" ? "lie" : "pass");
  await written(host);
  await host.files.syncDirectory("/d");
  assert.equal(text(host.disk.durable(log)), "");
});
