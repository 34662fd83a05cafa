/** I2: at every event that an observer gets, at every operation of the disk, and at the end, replaying the file gives the live history. Over restores too. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { LogEntry } from "@yoi/base";
import { HostCrashed, memoryHost, type MemoryHost } from "@yoi/host";
import type { LeaseTable } from "@yoi/pod-store";
import { replay, type SessionState, type SessionStore } from "@yoi/session-store";
import type { HistoryGate } from "../../packages/pod/src/history/gate.ts";
import { openParts } from "../inbox/parts.ts";
import { DurableLog } from "./durable-log.ts";
import { driven } from "./life.ts";
import { overriding } from "../support/overriding.ts";
import { anySession, type Session } from "./session.ts";
import { simulatedTools } from "./tools.ts";
import { Witness } from "./witness.ts";

/** Every field of the fold, as plain values. */
function seen(state: SessionState): { readonly [field in keyof SessionState]: unknown } {
  const { session, segment, prompt, documents, config, tools, toolsDigest, projection, items } = state;
  const { lastSeq, epoch, turnCount, unanswered, partials, measured, run, pausesInRow, usage, cost } = state;
  const { spent, isUncounted, calibration, generation, origin, left, compaction, compactionsInRow } = state;
  const {
    commands,
    inbox,
    queue,
    queueHeld,
    approvals,
    closedApprovals,
    kept,
    submissions,
    childCursors,
    extensions,
    states,
  } = state;
  const head = { session, segment, prompt, documents, config, tools, toolsDigest, projection };
  return {
    ...head,
    items: [...items],
    lastSeq,
    epoch,
    turnCount,
    unanswered,
    partials,
    measured,
    run,
    pausesInRow,
    usage,
    cost,
    spent,
    isUncounted,
    calibration,
    generation,
    origin,
    left,
    compaction,
    compactionsInRow,
    inbox,
    queue,
    queueHeld,
    commands,
    kept: [...kept],
    approvals,
    closedApprovals: new Map(closedApprovals),
    submissions: new Map(submissions),
    childCursors: new Map(childCursors),
    extensions: new Map(extensions),
    states,
  };
}

interface Compared {
  count: number;
  rolledBack: number;
}

interface Setting {
  readonly host: MemoryHost;
  readonly leases: LeaseTable;
  readonly session: Session;
  readonly wrapSessions: (sessions: SessionStore) => SessionStore;
}

/** Compares live history with what is durable, as far as live history goes; what is on its way there may be further. */
class Comparison {
  count = 0;
  problem: unknown = null;
  gate: HistoryGate | null = null;
  readonly #log: DurableLog;
  #last = -1;

  constructor(host: MemoryHost) {
    this.#log = new DurableLog(host);
  }

  readonly look = (): void => {
    if (this.gate === null || this.problem !== null || this.gate.lastSeq === this.#last) return;
    try {
      this.compare(this.gate.state);
    } catch (error) {
      this.problem = error;
    }
  };

  /** Returns how many entries of the log are not in live history. */
  compare(state: SessionState): number {
    this.#last = state.lastSeq;
    this.count += 1;
    const entries = this.#log.entries(state);
    assert.ok(state.lastSeq < entries.length, `entry ${state.lastSeq} is in live history and not durable`);
    const known: readonly LogEntry[] = entries.slice(0, state.lastSeq + 1);
    assert.deepEqual(
      seen(state),
      seen(replay(known)),
      `live history is not the log up to entry ${state.lastSeq}`,
    );
    return entries.length - known.length;
  }
}

/** Runs the session, cancelling it once at its `cancel`-th event and killing it once at its `crash`-th; returns how many comparisons were made. */
async function compareAll(
  session: Session,
  seed: number,
  options: {
    readonly crash: number;
    readonly cancel: number;
    readonly wrapSessions?: Setting["wrapSessions"];
  },
): Promise<Compared> {
  let setting: Setting = {
    host: memoryHost({ seed }),
    leases: new Map(),
    session,
    wrapSessions: options.wrapSessions ?? ((sessions) => sessions),
  };
  const compared: Compared = { count: 0, rolledBack: 0 };
  for (let crash = options.crash; ; crash = 0) {
    const { host } = setting;
    const comparison = new Comparison(host);
    host.disk.plan = () => {
      comparison.look();
      return "pass";
    };
    let events = 0;
    const observer = () => {
      comparison.look();
      if ((events += 1) === crash) host.crash(seed % 2 === 0 ? "power" : "process");
    };
    try {
      compared.rolledBack += await oneLife(setting, comparison, observer, crash === 0 ? 0 : options.cancel);
      compared.count += comparison.count;
      return compared;
    } catch (error) {
      if (!(error instanceof HostCrashed)) throw error;
      if (comparison.problem !== null) throw comparison.problem;
      compared.count += comparison.count;
      setting = { ...setting, host: host.restart() };
    }
  }
}

/** Events of a life at which somebody notifies. */
const noticesAt: ReadonlySet<number> = new Set([5, 20, 21]);

/** Returns how many inputs were taken back. */
async function oneLife(
  setting: Setting,
  comparison: Comparison,
  observer: () => void,
  cancel: number,
): Promise<number> {
  const { host, leases, session, wrapSessions } = setting;
  const sending: Promise<unknown>[] = [];
  let events = 0;
  const opening = openParts({
    host,
    leases,
    scenario: session.scenario,
    tools: simulatedTools(new Witness(), host),
    observer: () => {
      events += 1;
      if (events === cancel) parts.drive.stop("cancel");
      if (noticesAt.has(events)) {
        const sent = parts.inbox.accept({ source: "test", message: `at event ${events}` });
        // Of a machine that died nobody hears.
        sent.catch(() => {});
        sending.push(sent);
      }
      observer();
    },
    wrapSessions,
  });
  const parts = await driven(host, opening);
  const { gate, drive, close } = parts;
  comparison.gate = gate;
  const atRest = async () => {
    await driven(host, Promise.all(sending));
    if (comparison.problem !== null) throw comparison.problem;
    assert.equal(comparison.compare(gate.state), 0, "the log has entries that live history has not");
  };
  await atRest();
  if (drive.state === "paused") await driven(host, drive.resume({ timeoutMs: null }));
  let rolledBack = 0;
  for (const text of session.inputs) {
    const report = await driven(host, drive.submit([{ type: "text", text }], { timeoutMs: null }));
    if (report.outcome.kind === "rolled_back") rolledBack += 1;
    await atRest();
  }
  await driven(host, close());
  await atRest();
  return rolledBack;
}

const seed = 7_301;
const runs = 60;

test(`the live history is the replay of the log at every event and every disk operation (${runs} sessions, seed ${seed})`, async () => {
  let compared = 0;
  let rolledBack = 0;
  const property = fc.asyncProperty(
    anySession,
    fc.nat(10_000),
    fc.nat(60),
    fc.nat(60),
    async (session, hostSeed, crash, cancel) => {
      const one = await compareAll(session, hostSeed, { crash, cancel: cancel % 2 === 0 ? 2 : cancel });
      compared += one.count;
      rolledBack += one.rolledBack;
    },
  );
  await fc.assert(property, { seed, numRuns: runs });
  assert.ok(compared > 10 * runs, `only ${compared} comparisons`);
  assert.ok(rolledBack > 5, `only ${rolledBack} inputs were taken back`);
});

test("control: a store that hands back something else than it wrote is seen", async () => {
  const retelling = (sessions: SessionStore): SessionStore =>
    overriding(sessions, {
      create: async (start, opening) => {
        const opened = await sessions.create(start, opening);
        const writer = overriding(opened.writer, {
          append: async (bodies) => {
            const entries = await opened.writer.append(bodies);
            return entries.map((e) =>
              e.kind === "llm_usage" ? { ...e, usage: { ...e.usage, input_tokens: 1 } } : e,
            );
          },
        });
        return { ...opened, writer };
      },
    });
  const property = fc.asyncProperty(anySession, async (session) => {
    await compareAll(session, 1, { crash: 0, cancel: 0, wrapSessions: retelling });
  });
  const result = await fc.check(property, { seed, numRuns: 3, endOnFailure: true });
  assert.ok(result.failed);
  assert.match(String(result.errorInstance), /live history is not the log/);
});
