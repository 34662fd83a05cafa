/** One case of crash and restore: a random session on a simulated machine that dies at random moments, until the session is done. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type LogEntry, YoiError } from "@yoi/base";
import {
  crashAt,
  type DiskOperation,
  type FaultPlan,
  HostCrashed,
  memoryHost,
  type MemoryHost,
  noFaults,
} from "@yoi/host";
import { type SeededRandom, seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import { dataDir, simulatedPod, simulatedStores } from "../support/simulated-pod.ts";
import { segmentPath } from "@yoi/session-store";
import { judgeEnd, judgePrefixes } from "./judge.ts";
import { type Closed, judgeLive } from "./judge-live.ts";
import { live, type Machine, type Owner, plainOwner, survey, verified } from "./life.ts";
import { noticesOf } from "./notices.ts";
import { sessionOf } from "./session.ts";
import { type Boundary, Witness } from "./witness.ts";

/** A planted fault: what the machine does wrong, below or beside the code under test. */
export interface Plant {
  /** A lying disk, asked before the crash plan. */
  readonly lies?: (operation: DiskOperation) => boolean;
  /** The disk also fails now and then, besides the crashes. */
  readonly failures?: boolean;
  readonly owner?: Pick<Owner, "wrapStore" | "wrapSessions" | "wrapModel">;
}

export interface CaseResult {
  /** Over every operation of the disk with its data. */
  readonly trace: string;
  readonly log: string;
  readonly entries: readonly LogEntry[];
  readonly crashes: number;
  readonly requests: number;
}

const crashesMax = 5;
const operationsOfLife = 110;
const operationsOfRecovery = 14;
const crashPlaces = [
  "disk",
  "disk",
  "disk",
  "disk",
  "effect",
  "effect",
  "asked",
  "streamed",
  "told",
] as const;

/** @param seed the same seed is the same case to the bit. Throws what does not hold. */
export async function crashCase(seed: number, plant: Plant = {}): Promise<CaseResult> {
  const random = seededRandom(seed ^ 0x6b43a9b5);
  const witness = new Witness();
  const leases = new Map();
  const session = sessionOf(seed);
  const notices = noticesOf(seed);
  let host = memoryHost({ seed });
  let crashes = 0;
  const crashesPlanned = 1 + random.below(crashesMax);
  for (let life = 0; ; life += 1) {
    const owner = ownerOf(random, plant);
    const machine: Machine = { host, leases, session, notices, witness, owner };
    const where = `after ${life} crashes`;
    if (life > 0) await survey(machine, where);
    const loss = random.below(3) === 0 ? "process" : "power";
    planCrash(machine, random, { plant, loss, crashes: life < crashesPlanned });
    let closed: Closed;
    try {
      closed = await live(machine);
    } catch (error) {
      if (!isDeath(error, host) && !(plant.failures === true && isDiskFailure(error))) throw error;
      crashes += 1;
      // What the dead process had under way comes to nothing before the next one starts.
      await host.advance(0);
      host.crash(loss);
      host = host.restart();
      continue;
    }
    host.crash("power");
    host = host.restart();
    return { ...(await finish({ ...machine, host }, closed)), crashes, requests: witness.sent.length };
  }
}

function ownerOf(random: SeededRandom, plant: Plant): Owner {
  return {
    ...plainOwner,
    extraTool: random.below(4) === 0,
    maxOutputTokens: random.below(6) === 0 ? 2000 : 1000,
    maxTurns: random.below(5) === 0 ? 1 : null,
    traces: random.below(6) === 0,
    resumes: random.below(4) > 0,
    ...plant.owner,
  };
}

/** Half of the crashes hit an operation of the disk, recovery included; the others hit the world outside: a tool, a request, a stream. */
function planCrash(
  { host, witness }: Machine,
  random: SeededRandom,
  options: { plant: Plant; loss: "power" | "process"; crashes: boolean },
): void {
  const { lies } = options.plant;
  const where = crashPlaces[random.below(crashPlaces.length)] ?? "disk";
  // Early in a life lies the recovery, which must stand a crash like everything else.
  const operations = 1 + random.below(random.below(4) === 0 ? operationsOfRecovery : operationsOfLife);
  let left = 1 + random.below(where === "streamed" ? 40 : 5);
  const crash: FaultPlan =
    options.crashes && where === "disk" ? crashAt(host.disk.operations + operations) : () => "pass";
  const failing = options.plant.failures === true && options.crashes ? failureAt(host, random) : noFaults;
  host.disk.plan = (operation) => {
    if (lies?.(operation) === true) return "lie";
    const failed = failing(operation);
    return failed === "pass" ? crash(operation) : failed;
  };
  const passed = (boundary: Boundary) => {
    if (boundary === where && (left -= 1) === 0) host.crash(options.loss);
  };
  witness.ports = options.crashes && where !== "disk" ? { passed } : {};
}

/** One operation from now on fails. */
function failureAt({ disk }: MemoryHost, random: SeededRandom): FaultPlan {
  const at = disk.operations + 1 + random.below(operationsOfLife);
  const effect = (["EIO", "ENOSPC", { short: random.below(200) }] as const)[random.below(3)] ?? "EIO";
  return ({ index, kind }) => {
    if (index !== at || kind === "read") return "pass";
    return typeof effect === "object" && kind !== "write" ? "EIO" : effect;
  };
}

function isDeath(error: unknown, host: MemoryHost): boolean {
  return error instanceof HostCrashed && host.crashed;
}

/** A process that cannot write ends; the next one goes on. */
function isDiskFailure(error: unknown): boolean {
  return error instanceof YoiError && ["io_failed", "disk_full", "log_poisoned"].includes(error.code);
}

async function finish(machine: Machine, closed: Closed): Promise<Omit<CaseResult, "crashes" | "requests">> {
  const { host, leases, witness } = machine;
  const entries = await survey(machine, "at the end");
  assert.ok(entries !== null, "at the end there is no Pod");
  judgeEnd(entries);
  judgeLive(closed, entries);
  judgePrefixes(witness.sent, entries);
  await verified(machine);
  const record = await simulatedStores(host, leases).pods.read(simulatedPod);
  assert.ok(record?.pointer.state === "active");
  const bytes = await host.files.read(segmentPath(dataDir, record.pointer));
  assert.ok(bytes !== null);
  return {
    trace: host.disk.traceDigest(),
    log: createHash("sha256").update(bytes).digest("hex"),
    entries,
  };
}
