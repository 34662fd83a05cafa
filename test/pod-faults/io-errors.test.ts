/** EIO and ENOSPC at the k-th operation of a run, for every k: nothing goes on that nobody could record, and a well disk goes on from there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DiskEffect, DiskOperationKind, MemoryHost } from "@yoi/host";
import type { SessionStore } from "@yoi/session-store";
import { blobSession, type Circumstances, type Fault, underFault } from "./io-errors.ts";
import { plainOwner } from "./life.ts";
import { withSync } from "./planted.ts";

const typed = new Set(["io_failed", "disk_full", "log_poisoned"]);

/** The fault at every k until the run has no k-th such operation. Returns how many there were. */
async function atEveryK(fault: Omit<Fault, "nth">, circumstances?: Circumstances): Promise<number> {
  for (let nth = 1; ; nth += 1) {
    const where = `${JSON.stringify(fault.effect)} at ${fault.kind} ${nth}${fault.lasting === true ? " and later" : ""}`;
    try {
      const { happened, failedWith } = await underFault({ ...fault, nth }, circumstances);
      if (!happened) {
        assert.equal(failedWith, null);
        return nth - 1;
      }
      assert.ok(failedWith !== null && typed.has(failedWith), `the client saw ${failedWith}`);
    } catch (cause) {
      throw new Error(`${where}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
  }
}

const short: DiskEffect = { short: 31 };
const table: readonly { kind: DiskOperationKind; effects: readonly DiskEffect[]; least: number }[] = [
  { kind: "write", effects: ["EIO", "ENOSPC", short], least: 18 },
  { kind: "sync", effects: ["EIO", "ENOSPC"], least: 18 },
  { kind: "create", effects: ["EIO", "ENOSPC"], least: 5 },
  { kind: "rename", effects: ["EIO", "ENOSPC"], least: 2 },
  { kind: "sync_directory", effects: ["EIO", "ENOSPC"], least: 5 },
];

for (const { kind, effects, least } of table) {
  for (const effect of effects) {
    for (const lasting of [false, true]) {
      test(`${JSON.stringify(effect)} at every ${kind}${lasting ? ", and ever after" : ""}`, async () => {
        const count = await atEveryK({ kind, effect, lasting });
        assert.ok(count >= least, `only ${count} of ${kind}`);
      });
    }
  }
}

test("a write that fails, and then cannot be cut away, poisons the log as a failed sync does", async () => {
  const count = await atEveryK({
    kind: "write",
    path: /\.jsonl$/,
    effect: short,
    and: ({ kind }) => (kind === "truncate" ? "EIO" : "pass"),
  });
  assert.ok(count >= 15, `only ${count}`);
});

test("every operation on a blob fails once", async () => {
  for (const kind of ["create", "write", "sync", "rename", "sync_directory"] as const) {
    const count = await atEveryK({ kind, path: /\/blobs(\/|$)/, effect: "EIO" }, { session: blobSession });
    assert.ok(count >= 1, kind);
  }
});

const controls: readonly { name: string; sync: Parameters<typeof withSync>[1]; found: RegExp }[] = [
  {
    name: "a writer that takes a failed sync for a good one",
    sync: (sync) => sync().catch(() => {}),
    found: /something was acknowledged, told or sent after a failed sync|the client saw null/,
  },
  {
    name: "a writer that syncs again after a failed sync",
    sync: (sync) => sync().catch(sync),
    found: /something was acknowledged, told or sent after a failed sync|the client saw null/,
  },
];

for (const { name, sync, found } of controls) {
  test(`control: ${name} is caught`, async () => {
    const owner = { ...plainOwner, wrapStore: (_: SessionStore, host: MemoryHost) => withSync(host, sync) };
    await assert.rejects(atEveryK({ kind: "sync", path: /\.jsonl$/, effect: "EIO" }, { owner }), found);
  });
}
