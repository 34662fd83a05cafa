/** A feature that writes its state over and over on a disk that loses power or fails at one point, and what is there afterwards. */
import assert from "node:assert/strict";
import { type JsonValue, YoiError } from "@yoi/base";
import { crashAt, failNth, HostCrashed, type MemoryHost, memoryHost, noFaults } from "@yoi/host";
import { createFeatureStateStore, type InspectPath, type KeptStateStore } from "@yoi/keep";

export type Open = (host: MemoryHost) => Pick<KeptStateStore, "read" | "write">;

function inspectOf({ files }: MemoryHost): InspectPath {
  return async (path) => {
    const stat = await files.stat(path);
    if (stat === null) return null;
    return { kind: stat.kind, mode: stat.kind === "directory" ? 0o700 : 0o600, own: true };
  };
}

export const openKept: Open = (host) =>
  createFeatureStateStore({ ...host, dataDir: "/data", inspect: inspectOf(host) })("user:notes", "main");

const writesPerLife = 5;
const lives = 3;
/** Operations of one life, about: crashes fall in and behind it. */
const operationsPerLife = 60;
const faults = ["EIO", "ENOSPC"] as const;
const kinds = ["create", "write", "sync", "sync_directory", "remove"] as const;

/** Of several sectors, so that a part of it can be lost; it says itself which revision it is of. */
function valueOf(seed: number, revision: number): JsonValue {
  return { revision, text: `${seed}-${revision}-`.repeat(((seed * 7 + revision * 13) % 200) + 1) };
}

/** What was acknowledged, and what may have come to be: of each a revision with its value. */
class Ledger {
  acknowledged = 0;
  #values = new Map<number, string>([[0, "null"]]);

  attempt(revision: number, value: JsonValue): void {
    this.#values.set(revision, JSON.stringify(value));
  }

  check(found: { readonly revision: number; readonly value: JsonValue } | null, where: string): number {
    const revision = found?.revision ?? 0;
    assert.ok(
      revision >= this.acknowledged,
      `${where}: revision ${this.acknowledged} was lost, ${revision} is there`,
    );
    assert.equal(JSON.stringify(found?.value ?? null), this.#values.get(revision), where);
    return revision;
  }
}

/** Writers at once, three lives, a crash in each; the case is its seed. */
export async function crashCase(seed: number, open: Open = openKept): Promise<void> {
  let host = memoryHost({ seed });
  const ledger = new Ledger();
  let at = ledger.acknowledged;
  for (let life = 0; life < lives; life += 1) {
    const point = (Math.imul(seed + 1, 2_654_435_761) >>> (life * 5)) % operationsPerLife;
    // In every fourth case an operation fails too, so that a write is given up with what it left. There is one writer then: of a failed sync the
    // kernel tells everybody who has the file open, and the simulated disk only the one who asked.
    const isFaulty = seed % 4 === 0;
    const kind = kinds[(seed + life) % kinds.length] ?? "sync";
    const effect = faults[(seed >> 2) % faults.length] ?? "EIO";
    const crash = crashAt(host.disk.operations + 1 + point);
    const fail = failNth(kind, host.disk.count(kind) + 1 + (seed % 5), effect);
    host.disk.plan = (operation) => {
      const planned = crash(operation);
      return planned === "pass" && isFaulty ? fail(operation) : planned;
    };
    const state = open(host);
    try {
      for (let n = 0; n < writesPerLife; n += 1) {
        const value = valueOf(seed, at + 1);
        ledger.attempt(at + 1, value);
        const expected = at === 0 ? null : at;
        // The same value twice: whichever wins, it is the one revision.
        const tries = await Promise.allSettled(
          Array.from({ length: isFaulty ? 1 : 2 }, () => state.write(value, { version: 1, expected })),
        );
        const won = tries.filter((outcome) => outcome.status === "fulfilled");
        assert.ok(won.length <= 1, `seed ${seed}: ${won.length} writers won one revision`);
        if (won.length === 1) ledger.acknowledged = at + 1;
        for (const outcome of tries)
          if (outcome.status === "rejected" && !(outcome.reason instanceof YoiError)) throw outcome.reason;
        at = ledger.check(await state.read(), `seed ${seed}, life ${life}`);
      }
      host.crash();
    } catch (error) {
      if (!(error instanceof HostCrashed)) throw error;
    }
    host = host.restart();
    host.disk.plan = noFaults;
    at = ledger.check(await open(host).read(), `seed ${seed}, after life ${life}`);
  }
  // It goes on.
  const value = valueOf(seed, at + 1);
  assert.equal(await open(host).write(value, { version: 1, expected: at === 0 ? null : at }), at + 1);
}
