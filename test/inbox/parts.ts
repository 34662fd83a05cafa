/** The parts of a Pod as `Pod.open` joins them, with gate, inbox and drive in reach: a Pod shows them to nobody. On a simulated machine. */
import { flattenInput, type InputPart, type LogEntry, type QueueTime, type Tool } from "@yoi/base";
import type { MemoryHost } from "@yoi/host";
import type { Model, ModelRequest } from "@yoi/model";
import type { LeaseTable } from "@yoi/pod-store";
import { replay, segmentPath, type SessionState, type SessionStore } from "@yoi/session-store";
import { type LoopPoints, noPoints, ToolTable, Worker, type WorkerObserver } from "@yoi/worker";
import { openScripted } from "../../packages/model/src/scripted/index.ts";
import { Drive, type DriveParts } from "../../packages/pod/src/drive/drive.ts";
import { Inbox } from "../../packages/pod/src/inbox/inbox.ts";
import { Submissions } from "../../packages/pod/src/inbox/submissions.ts";
import { InputQueue } from "../../packages/pod/src/turn/input-queue.ts";
import { createSession, restoreSession } from "../../packages/pod/src/restore/open-session.ts";
import { readActive } from "../../packages/pod/src/index.ts";
import { overriding } from "../support/overriding.ts";
import { OwnRuns } from "../support/own-runs.ts";
import { dataDir, simulatedPod, simulatedStores } from "../support/simulated-pod.ts";

export interface PartsOptions {
  readonly host: MemoryHost;
  readonly leases?: LeaseTable;
  /** YAML. */
  readonly scenario: string;
  readonly tools?: readonly Tool[];
  readonly maxTurns?: number | null;
  readonly input?: Partial<DriveParts["input"]>;
  readonly beginsOwnRuns?: boolean;
  readonly unfinished?: () => void;
  readonly observe?: NonNullable<DriveParts["observe"]>;
  /** Made of the drain: by default it is all that happens. */
  readonly points?: (drain: LoopPoints["drain"]) => Omit<LoopPoints, "deliver">;
  readonly observer?: WorkerObserver;
  readonly wrapModel?: (model: Model) => Model;
  readonly wrapSessions?: (sessions: SessionStore) => SessionStore;
}

export async function openParts(options: PartsOptions) {
  const { host, leases = new Map(), scenario } = options;
  const stores = simulatedStores(host, leases);
  const sessions = options.wrapSessions?.(stores.sessions) ?? stores.sessions;
  const config = { model: "scripted/sim.yaml", max_output_tokens: 1000 };
  const table = ToolTable.create(options.tools ?? []);
  const owner = {
    version: "0.0.0-sim",
    manifest: {},
    config,
    tools: table.definitions,
    states: () => ({}),
    features: [],
  };
  const seed = { prompt: "You are simulated.", documents: [] };
  const both = { sessions, pods: stores.pods };
  const stored = await stores.pods.read(simulatedPod);
  const opened =
    stored === null
      ? await createSession(both, host.ids, simulatedPod, owner, seed)
      : await restoreSession(both, host.ids, stored, owner, async () => seed);
  const { gate } = opened;
  const requests: ModelRequest[] = [];
  const scripted = openScripted({ name: "sim.yaml", text: scenario, ports: host });
  const recorded = overriding(scripted, {
    stream: (request, asked) => {
      const beforeSend: typeof asked.beforeSend = async (wire) => {
        await asked.beforeSend(wire);
        requests.push(request);
      };
      return scripted.stream(request, { ...asked, beforeSend });
    },
  } satisfies Partial<Model>);
  const submissions = new Submissions(gate, (text) => text);
  const inbox = new Inbox(gate, submissions);
  const drain = () => inbox.drain();
  const input = {
    attach: async () => ({ items: [], warnings: [] }),
    recall: () => {},
    warn: () => {},
    ...options.input,
  };
  const queue = new InputQueue(gate, submissions, input);
  const deliver: LoopPoints["deliver"] = (signal) => queue.deliver(signal);
  const worker = new Worker({
    history: gate,
    model: options.wrapModel?.(recorded) ?? recorded,
    tools: table,
    head: { system: gate.state.prompt, config: () => gate.state.config },
    points: { ...(options.points?.(drain) ?? { ...noPoints, drain }), deliver },
    observer: options.observer ?? (() => {}),
    clock: host.clock,
    timers: host.timers,
  });
  const own = new OwnRuns();
  gate.onCommit(own.committed);
  const drive = new Drive({
    gate,
    submissions,
    input,
    queue,
    worker,
    clock: host.clock,
    timers: host.timers,
    maxTurns: options.maxTurns ?? null,
    beginsOwnRuns: options.beginsOwnRuns ?? false,
    ...(options.unfinished === undefined ? {} : { unfinished: options.unfinished }),
    observe: (event) => {
      own.observe(event);
      options.observe?.(event);
    },
  });
  return {
    gate,
    rotator: opened.rotator,
    inbox,
    drive,
    own,
    /** What was sent, in order. */
    requests,
    submit: (text: string) => drive.submit([{ type: "text", text }], unlimited),
    /** As a sender does that a Pod serves. */
    notify: async (message: string, source = "test") => {
      await inbox.accept({ source, message });
      drive.notified();
    },
    /** As a client does. */
    queue: async (given: string | readonly InputPart[], when: QueueTime, submission = `${given}`) => {
      const said = typeof given === "string" ? [{ type: "text", text: given } as const] : given;
      const accepted = await queue.accept({ parts: said, when, submission }, input);
      if (!accepted.duplicate) drive.notified();
      return accepted;
    },
    unqueue: (id: string) => queue.takeBack(id),
    close: async () => {
      await drive.close();
      queue.close();
      inbox.close();
      await opened.close();
    },
  };
}
export type Parts = Awaited<ReturnType<typeof openParts>>;

export const unlimited = { timeoutMs: null } as const;

/** The entries that are on the disk, read by somebody else. */
export async function entriesOf(host: MemoryHost): Promise<readonly LogEntry[]> {
  return (await readActive(simulatedStores(host, new Map()), simulatedPod)).view.entries;
}

/** The bytes of the log, with the path. */
export async function logOf(host: MemoryHost): Promise<{ readonly path: string; readonly bytes: Buffer }> {
  const record = await simulatedStores(host, new Map()).pods.read(simulatedPod);
  if (record?.pointer.state !== "active") throw new Error("the Pod has no segment");
  const path = segmentPath(dataDir, record.pointer);
  const bytes = await host.files.read(path);
  if (bytes === null) throw new Error(`${path} is gone`);
  return { path, bytes: Buffer.from(bytes) };
}

export async function storedState(host: MemoryHost): Promise<SessionState> {
  return replay(await entriesOf(host));
}

/** Texts of what history holds, with who says it. */
export function spoken({ items }: Pick<SessionState, "items">): readonly string[] {
  return items.flatMap(({ item }) => {
    switch (item.type) {
      case "user_message":
        return [`user: ${textOf(item.parts)}`];
      case "assistant_message":
        return [`model: ${item.text}`];
      case "system_item":
        return [`${item.kind}: ${item.body}`];
      case "reasoning":
      case "tool_call":
      case "tool_result":
        return [];
    }
  });
}

const textOf = (parts: readonly InputPart[]): string => flattenInput(parts);
