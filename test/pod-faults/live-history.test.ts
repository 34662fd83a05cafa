/** I2: at every event that an observer gets, at every operation of the disk, and at the end, replaying the file gives the live history. Over restores too. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { LogEntry } from "@yoi/base";
import { HostCrashed, memoryHost, type MemoryHost } from "@yoi/host";
import type { LeaseTable } from "@yoi/pod-store";
import { replay, type SessionState, type SessionStore } from "@yoi/session-store";
import { noPoints, ToolTable, Worker } from "@yoi/worker";
import { openScripted } from "../../packages/model/src/scripted/index.ts";
import { Drive } from "../../packages/pod/src/drive/drive.ts";
import type { HistoryGate } from "../../packages/pod/src/history/gate.ts";
import { createSession, restoreSession } from "../../packages/pod/src/restore/open-session.ts";
import { simulatedPod, simulatedStores } from "../support/simulated-pod.ts";
import { DurableLog } from "./durable-log.ts";
import { driven } from "./life.ts";
import { overriding } from "../support/overriding.ts";
import { anySession, type Session } from "./session.ts";
import { simulatedTools } from "./tools.ts";
import { Witness } from "./witness.ts";

/** Every field of the fold, as plain values. */
function seen(state: SessionState): { readonly [field in keyof SessionState]: unknown } {
  const { session, segment, prompt, documents, config, tools, toolsDigest, projection, items } = state;
  const { lastSeq, epoch, turnCount, unanswered, partials, measured, run, usage, cost } = state;
  const { inbox, extensions, states } = state;
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
    usage,
    cost,
    inbox,
    extensions: new Map(extensions),
    states,
  };
}

interface Setting {
  readonly host: MemoryHost;
  readonly leases: LeaseTable;
  readonly session: Session;
  readonly wrapSessions: (sessions: SessionStore) => SessionStore;
}

/** The parts of a Pod as `Pod.open` joins them, with the gate in reach: a Pod shows its live history to nobody. */
async function openParts(setting: Setting, observer: () => void) {
  const { host, leases, session } = setting;
  const stores = simulatedStores(host, leases);
  const sessions = setting.wrapSessions(stores.sessions);
  const config = { model: "scripted/sim.yaml", max_output_tokens: 1000 };
  const table = ToolTable.create(simulatedTools(new Witness(), host));
  const owner = {
    version: "0.0.0-sim",
    manifest: {},
    config,
    tools: table.definitions,
    states: () => ({}),
    features: [],
  };
  const seed = { prompt: "You are simulated.", documents: [] };
  const stored = await stores.pods.read(simulatedPod);
  const both = { sessions, pods: stores.pods };
  const opened =
    stored === null
      ? await createSession(both, host.ids, simulatedPod, owner, seed)
      : await restoreSession(both, host.ids, stored, owner, async () => seed);
  const worker = new Worker({
    history: opened.gate,
    model: openScripted({ name: "sim.yaml", text: session.scenario, ports: host }),
    tools: table,
    head: { system: opened.gate.state.prompt, config: () => opened.gate.state.config },
    points: noPoints,
    observer,
    clock: host.clock,
    timers: host.timers,
  });
  const drive = new Drive({
    gate: opened.gate,
    input: { attach: async () => ({ items: [], warnings: [] }), recall: () => {}, warn: () => {} },
    worker,
    timers: host.timers,
    maxTurns: null,
  });
  return { gate: opened.gate, drive, close: () => opened.close() };
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

/** Runs the session, killing it once at its `crash`-th event; returns how many comparisons were made. */
async function compareAll(
  session: Session,
  seed: number,
  options: { readonly crash: number; readonly wrapSessions?: Setting["wrapSessions"] },
): Promise<number> {
  let setting: Setting = {
    host: memoryHost({ seed }),
    leases: new Map(),
    session,
    wrapSessions: options.wrapSessions ?? ((sessions) => sessions),
  };
  let compared = 0;
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
      await oneLife(setting, comparison, observer);
      return compared + comparison.count;
    } catch (error) {
      if (!(error instanceof HostCrashed)) throw error;
      if (comparison.problem !== null) throw comparison.problem;
      compared += comparison.count;
      setting = { ...setting, host: host.restart() };
    }
  }
}

async function oneLife(setting: Setting, comparison: Comparison, observer: () => void): Promise<void> {
  const { host, session } = setting;
  const { gate, drive, close } = await driven(host, openParts(setting, observer));
  comparison.gate = gate;
  const atRest = () => {
    if (comparison.problem !== null) throw comparison.problem;
    assert.equal(comparison.compare(gate.state), 0, "the log has entries that live history has not");
  };
  atRest();
  if (drive.state === "paused") await driven(host, drive.resume({ timeoutMs: null }));
  for (const text of session.inputs) {
    await driven(host, drive.submit([{ type: "text", text }], { timeoutMs: null }));
    atRest();
  }
  await driven(host, close());
  atRest();
}

const seed = 7_301;
const runs = 60;

test(`the live history is the replay of the log at every event and every disk operation (${runs} sessions, seed ${seed})`, async () => {
  let compared = 0;
  const property = fc.asyncProperty(
    anySession,
    fc.nat(10_000),
    fc.nat(60),
    async (session, hostSeed, crash) => {
      compared += await compareAll(session, hostSeed, { crash });
    },
  );
  await fc.assert(property, { seed, numRuns: runs });
  assert.ok(compared > 10 * runs, `only ${compared} comparisons`);
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
    await compareAll(session, 1, { crash: 0, wrapSessions: retelling });
  });
  const result = await fc.check(property, { seed, numRuns: 3, endOnFailure: true });
  assert.ok(result.failed);
  assert.match(String(result.errorInstance), /live history is not the log/);
});
