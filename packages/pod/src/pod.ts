/** Pod: a named Worker. Verbs and read-only snapshots; nobody gets the Worker, a store or a writer from it. */
import {
  type Clock,
  type CommittedItem,
  type Cost,
  type Entry,
  type FileRefPart,
  type Ids,
  type InputPart,
  type JsonObject,
  type PodName,
  type PromptDocument,
  type RequestConfig,
  type SegmentId,
  type SessionId,
  type Timers,
  type Tool,
  type Usage,
  YoiError,
} from "@yoi/base";
import type { Manifest } from "@yoi/manifest";
import type { Model } from "@yoi/model";
import type { Lease, PodRecord, PodStore } from "@yoi/pod-store";
import type { SessionStore, TailRepair } from "@yoi/session-store";
import type { Attachments } from "@yoi/tools";
import { noPoints, told, ToolTable, Worker, type WorkerObserver } from "@yoi/worker";
import { Drive, type DriveState, type RunLimits, type RunReport } from "./drive/drive.ts";
import { EventTrace } from "./history/event-trace.ts";
import { PermissionGate } from "./policy/permission-gate.ts";
import { permittedAttach } from "./policy/permitted-references.ts";
import { createSession, type OpenSession, restoreSession, type SessionSeed } from "./restore/open-session.ts";

/** Resolved under the lease, from what is stored of the Pod (null for a new one). Throwing leaves everything as it was. */
export interface PodSetup {
  readonly manifest: Manifest;
  readonly manifestJson: JsonObject;
  readonly model: Model;
  readonly config: RequestConfig;
  readonly tools: readonly Tool[];
  /** Where a path of a file tool really lies, for the rules; never throws. */
  readonly locate: (path: string) => string;
  /** Rendered only when a segment starts. */
  readonly seed: () => Promise<SessionSeed>;
  /** What the references of an input name, as items to commit right behind it. What cannot be attached is a warning. */
  readonly attach: (references: readonly FileRefPart[]) => Promise<Attachments>;
  /** Told of committed items in log order: of the whole history once, at opening, then of what was attached. Never throws. */
  readonly recall: (items: readonly CommittedItem[]) => void;
  /** Called once, before calls of an earlier owner are closed: ends what that owner left running. Returns how many processes. */
  readonly endStrays: () => Promise<number>;
  /** Closes what the setup opened (model sockets, watchdog). Called once, when the Pod closes or could not open. */
  readonly release: () => Promise<void>;
}

export interface PodPorts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
}

export interface OpenPodOptions {
  readonly name: PodName;
  /** What the owner does, for whoever finds the Pod held. */
  readonly purpose: string;
  readonly version: string;
  readonly sessions: SessionStore;
  readonly pods: PodStore;
  readonly lease: Lease;
  readonly ports: PodPorts;
  readonly observer: WorkerObserver;
  /** Told of every batch of a run when it is durable and in history, before anything follows from it. As an observer, it cannot change a run. */
  readonly committed?: (entries: readonly Entry[]) => void;
  readonly setup: (stored: PodRecord | null) => Promise<PodSetup>;
}

export interface PodSnapshot {
  readonly name: PodName;
  readonly session: SessionId;
  readonly segment: SegmentId;
  readonly state: DriveState;
  readonly turns: number;
  readonly usage: Usage;
  readonly cost: Cost;
  readonly documents: readonly PromptDocument[];
  /** Seq of the last entry on record. */
  readonly lastSeq: number;
}

const unlimited: RunLimits = { timeoutMs: null };

/** What an open Pod holds; `held` gives all of it back, last taken first. */
interface PodParts {
  readonly session: OpenSession;
  readonly drive: Drive;
  readonly straysEnded: number;
  readonly held: AsyncDisposableStack;
}

export class Pod {
  /** What the owner had to repair when it opened the log. */
  readonly repair: TailRepair | null;
  /** Processes of an earlier owner that were ended. */
  readonly straysEnded: number;
  readonly #name: PodName;
  readonly #session: OpenSession;
  readonly #drive: Drive;
  readonly #held: AsyncDisposableStack;
  #closed: Promise<void> | null = null;

  private constructor(name: PodName, { session, drive, straysEnded, held }: PodParts) {
    this.#name = name;
    this.#session = session;
    this.#drive = drive;
    this.#held = held;
    this.repair = session.repair;
    this.straysEnded = straysEnded;
  }

  /** Takes the lease, then creates or restores the Pod. Fails as a whole: nothing is held afterwards. */
  static async open(options: OpenPodOptions): Promise<Pod> {
    const { name, pods, sessions, ports } = options;
    const twin = await pods.findIgnoringCase(name);
    if (twin !== null && twin !== name) {
      throw new YoiError(
        "pod_exists",
        `The Pod name ${name} differs from the existing Pod ${twin} by case only: use that name, or another one.`,
      );
    }
    await using undo = new AsyncDisposableStack();
    // A new Pod that cannot start leaves no trace, not even of its lease.
    const early = (await pods.read(name)) === null ? await options.setup(null) : null;
    if (early !== null) undo.defer(early.release);
    const lease = await options.lease.acquire(name, options.purpose);
    undo.defer(() => lease.release());
    const stored = await pods.read(name);
    const setup = early !== null && stored === null ? early : await options.setup(stored);
    if (setup !== early) undo.defer(setup.release);
    const table = ToolTable.create(setup.tools);
    const straysEnded = stored === null ? 0 : await setup.endStrays();
    const owner = {
      version: options.version,
      manifest: setup.manifestJson,
      config: setup.config,
      tools: table.definitions,
      states: () => ({}),
      features: [],
    };
    const session =
      stored === null
        ? await createSession({ sessions, pods }, ports.ids, name, owner, await setup.seed())
        : await restoreSession({ sessions, pods }, ports.ids, stored, owner, setup.seed);
    undo.defer(session.close);
    setup.recall(session.gate.items);
    const trace = await openTrace(options, setup, session, table);
    undo.defer(async () => trace?.close());
    const { committed } = options;
    if (committed !== undefined) session.gate.onCommit((entries) => told(() => committed(entries)));
    const drive = makeDrive(options, setup, session, table, trace);
    return new Pod(name, { session, drive, straysEnded, held: undo.move() });
  }

  get snapshot(): PodSnapshot {
    const { state } = this.#session.gate;
    return {
      name: this.#name,
      session: state.session,
      segment: state.segment,
      state: this.#drive.state,
      turns: state.turnCount,
      usage: state.usage,
      cost: state.cost,
      documents: state.documents,
      lastSeq: state.lastSeq,
    };
  }

  /** Runs one input to the run's end. The input is durable before the model is asked. */
  submit(parts: readonly InputPart[], limits: RunLimits = unlimited): Promise<RunReport> {
    return this.#drive.submit(parts, limits);
  }

  /** Goes on with a paused, interrupted or otherwise unfinished turn. Throws nothing_to_resume when there is none. */
  resume(limits: RunLimits = unlimited): Promise<RunReport> {
    return this.#drive.resume(limits);
  }

  /** Ends the current run as cancelled. */
  cancel(): void {
    this.#drive.stop("cancel");
  }

  /** Ends the current run as paused: it can be resumed. */
  pause(): void {
    this.#drive.stop("pause");
  }

  /** The orderly close, after the current run has ended. Idempotent. What fails in it keeps nothing else from being given back. */
  close(): Promise<void> {
    this.#closed ??= this.#held.disposeAsync();
    return this.#closed;
  }
}

/** Null: the configuration does not ask for one. */
async function openTrace(
  options: OpenPodOptions,
  setup: PodSetup,
  { gate }: OpenSession,
  tools: ToolTable,
): Promise<EventTrace | null> {
  if (!setup.manifest.session.record_event_trace) return null;
  const { session, segment } = gate.state;
  const trace = await EventTrace.open({
    open: () => options.sessions.openTrace({ session, segment }),
    clock: options.ports.clock,
    tools: tools.definitions.map((tool) => tool.name),
    warn: (text) => options.observer({ type: "warning", text }),
  });
  gate.onCommit(trace.committed);
  return trace;
}

function makeDrive(
  options: OpenPodOptions,
  setup: PodSetup,
  session: OpenSession,
  tools: ToolTable,
  trace: EventTrace | null,
): Drive {
  const { gate } = session;
  const observer: WorkerObserver = (event) => {
    trace?.observe(event);
    options.observer(event);
  };
  const { permissions, workspace } = setup.manifest;
  const judge = new PermissionGate({ permissions, workspace, locate: setup.locate });
  const worker = new Worker({
    history: gate,
    model: setup.model,
    tools,
    head: { system: gate.state.prompt, config: () => gate.state.config },
    points: { ...noPoints, gate: async (call) => judge.decide(call) },
    observer,
    clock: options.ports.clock,
    timers: options.ports.timers,
    limits: { contentBytesMax: setup.manifest.limits.tool_output_bytes },
  });
  return new Drive({
    gate,
    input: {
      attach: permittedAttach(judge, setup.attach),
      recall: setup.recall,
      warn: (text) => observer({ type: "warning", text }),
    },
    worker,
    timers: options.ports.timers,
    maxTurns: setup.manifest.limits.max_turns,
  });
}
