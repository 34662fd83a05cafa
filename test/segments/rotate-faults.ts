/** A rotation that fails or dies at one operation of the disk: the Pod is on the old segment or on the new one, whole, and goes on. */
import assert from "node:assert/strict";
import { YoiError } from "@yoi/base";
import { type DiskEffect, memoryHost, type MemoryHost, noFaults } from "@yoi/host";
import { verifyPod } from "@yoi/pod";
import { segmentPath } from "@yoi/session-store";
import { driven } from "../pod-faults/life.ts";
import { dataDir, simulatedPod, simulatedStores } from "../support/simulated-pod.ts";
import { begun, open, picture, rotate } from "./rotating.ts";

interface Way {
  readonly effect: DiskEffect;
  /** All later operations fail so too, until the rotation has failed. */
  readonly lasting?: boolean;
}

const ways: readonly Way[] = [
  { effect: "crash" },
  { effect: "EIO" },
  { effect: "EIO", lasting: true },
  { effect: "ENOSPC" },
  { effect: { short: 150 } },
];

/** What a planted fault puts in the place of the disk's. */
export interface Circumstances {
  /** True: nothing fails but that syncs only seem to be done. Nothing is safe then: the control. */
  readonly lies?: boolean;
}

/** Operations of one rotation that goes well. */
export async function operationsOfRotation(): Promise<number> {
  const host = memoryHost({ seed: 1 });
  const parts = await begun(host);
  const before = host.disk.operations;
  await driven(host, rotate(parts, host));
  return host.disk.operations - before;
}

/** Case `index` fails operation `index % operations`, in one of the ways, and then the process or the power. */
export async function rotateCase(
  index: number,
  operations: number,
  { lies = false }: Circumstances = {},
): Promise<void> {
  const host = memoryHost({ seed: index });
  const parts = await begun(host);
  const old = parts.gate.ref;
  const oldBytes = await bytesOf(host, old);
  const before = picture(parts.gate.state);
  const at = host.disk.operations + 1 + (index % operations);
  const { effect, lasting = false }: Way = ways[Math.floor(index / operations) % ways.length] ?? {
    effect: "crash",
  };
  host.disk.plan = (operation) => {
    if (lies) return operation.kind === "sync" ? "lie" : "pass";
    return operation.index === at || (lasting && operation.index > at) ? effect : "pass";
  };
  let acknowledged = false;
  try {
    acknowledged = await rotatedAndWritten(parts, host);
  } finally {
    host.disk.plan = noFaults;
  }
  host.crash(index % 2 === 0 ? "process" : "power");

  const next = host.restart();
  const reopened = await driven(next, open(next));
  const { state, ref } = reopened.gate;
  const isNew = ref.segment !== old.segment;
  const told = picture(state).extensions;
  if (acknowledged) assert.deepEqual(told.at(-1), ["behind", isNew], "what was acknowledged is not there");
  const extensions = told.filter(([domain]) => domain !== "behind");
  assert.deepEqual({ ...picture(state), extensions }, before);
  assert.deepEqual([state.generation, state.left?.segment_id], isNew ? [1, old.segment] : [0, undefined]);
  if (isNew) assert.deepEqual(await bytesOf(next, old), oldBytes, "the segment that was left has changed");
  await verified(next);
  // The names that came in before come in once.
  const again = await reopened.inbox.accept({ source: "test", message: "Later.", submission: "n-1" });
  assert.equal(again.duplicate, true);
  const { outcome } = await driven(next, reopened.submit("#1 go on"));
  assert.equal(outcome.kind, "finished");
  await driven(next, reopened.close());
  await verified(next);
}

/** Gives whether a record behind the rotation was acknowledged. A rotation that failed without dying is tried again. */
async function rotatedAndWritten(
  parts: Awaited<ReturnType<typeof begun>>,
  host: MemoryHost,
): Promise<boolean> {
  const old = parts.gate.ref;
  const write = async () => {
    const isNew = parts.gate.ref.segment !== old.segment;
    await parts.gate.append([{ kind: "extension", domain: "behind", payload: isNew }]);
    return true;
  };
  try {
    await driven(host, rotate(parts, host));
  } catch (error) {
    if (host.crashed) return false;
    assert.ok(error instanceof YoiError, String(error));
    host.disk.plan = noFaults;
    assert.equal(parts.gate.ref, old, "it failed, and the Pod is elsewhere");
    if (error.code === "log_poisoned") {
      await assert.rejects(write(), { code: "log_poisoned" });
      return false;
    }
    await driven(host, rotate(parts, host));
  }
  return driven(host, write()).catch((error: unknown) => {
    if (host.crashed) return false;
    throw error;
  });
}

async function bytesOf(host: MemoryHost, ref: Parameters<typeof segmentPath>[1]): Promise<Uint8Array | null> {
  return host.files.read(segmentPath(dataDir, ref));
}

async function verified(host: MemoryHost): Promise<void> {
  const { problems, segments } = await verifyPod(simulatedStores(host, new Map()), simulatedPod, {
    wireRequestsMax: 0,
    openModel: () => Promise.reject(new Error("no body is rebuilt")),
  });
  assert.deepEqual(problems, []);
  assert.ok(segments.every(({ role }) => role === "active" || role === "earlier"));
}
