/** Compactor: a worker of yoi's own that explores a session and summarises it, in a segment of its own beside the Pod's history. */
import {
  budgetSentence,
  type Calibration,
  type Clock,
  logSchema,
  noSpent,
  type RequestConfig,
  type SegmentId,
  type SessionId,
  type Spent,
  type Timers,
  type Tool,
} from "@yoi/base";
import type { Model } from "@yoi/model";
import { createReplay, type SessionStore } from "@yoi/session-store";
import {
  type BudgetCheck,
  type LoopPoints,
  type RunOutcome,
  ToolTable,
  Worker,
  type WorkerOptions,
} from "@yoi/worker";
import { HistoryGate } from "../history/gate.ts";
import { closingRecord } from "../turn/close-run.ts";
import { type CompactorBounds, compactorPoints } from "./compactor-points.ts";
import { compactorPrompt, compactorTask, noSummaryYet } from "./compactor-prompt.ts";
import type { Summary } from "./plan/summary.ts";
import { type SummaryDesk, summaryDesk } from "./write-summary.ts";

/** After this long a compactor is given up, whatever it waits for. */
export const compactorMsMax = 600_000;

/** Who explores, with what, and within which bounds. */
export interface CompactorPorts {
  readonly sessions: Pick<SessionStore, "create">;
  readonly version: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly model: Model;
  /** Of its requests. */
  readonly config: () => RequestConfig;
  /** What it explores with: all of them read only. */
  readonly tools: readonly Tool[];
  readonly gate: LoopPoints["gate"];
  /** The budget that leaves nothing for another request, when its own segment has used this; null: there is room. */
  readonly budget: (beside: Spent) => ReturnType<BudgetCheck>;
  /** Its requests go to the provider that the Pod's go to. */
  readonly isSameProvider: boolean;
  readonly limits?: WorkerOptions["limits"];
  readonly bounds: CompactorBounds & {
    readonly turnsMax: number;
    readonly summaryTargetTokens: number;
    readonly summaryTokensMax: number;
  };
}

export interface CompactorTask {
  readonly session: SessionId;
  /** Its own, named in the Pod's log already. */
  readonly segment: SegmentId;
  /** Of the Pod's lease. */
  readonly epoch: number;
  readonly calibration: Calibration;
  /** Of the Pod's runs: a wait of the compactor's is one more. */
  readonly pausesInRow: number;
  /** Bounded: what it is shown of the session. */
  readonly overview: string;
  readonly signal: AbortSignal;
}

export type CompactorEnd = { readonly spent: Spent } & (
  | { readonly kind: "summary"; readonly summary: Summary }
  | { readonly kind: "failed"; readonly message: string }
  /** The signal aborted. */
  | { readonly kind: "stopped" }
  /** The next request of the Pod would come to the same. */
  | { readonly kind: "held"; readonly outcome: HeldOutcome; readonly message: string }
);

/** A budget is used, or the provider or the network has to be waited for. */
export type HeldOutcome = Extract<RunOutcome, { readonly kind: "paused" | "limit_reached" }>;

/** Its requests are recorded and counted as any other. Throws what its log throws. */
export async function runCompactor(ports: CompactorPorts, task: CompactorTask): Promise<CompactorEnd> {
  const { sessions, timers, bounds } = ports;
  const desk = summaryDesk(bounds.summaryTokensMax);
  const table = ToolTable.create([...ports.tools, desk.tool]);
  if (task.signal.aborted) return { kind: "stopped", spent: noSpent };
  const { writer, entries } = await sessions.create(
    {
      schema: logSchema,
      session_id: task.session,
      segment_id: task.segment,
      config: ports.config(),
      prompt: compactorPrompt,
      documents: [],
      turn_count: 0,
      states: {},
      purpose: "compaction",
      ...(Object.keys(task.calibration).length === 0 ? {} : { calibration: task.calibration }),
      ...(task.pausesInRow === 0 ? {} : { pauses_in_row: task.pausesInRow }),
    },
    { metadataEpoch: task.epoch - 1, version: ports.version },
    { carried: [], behind: [{ kind: "tools_changed", tools: table.definitions, digest: table.digest }] },
  );
  const replay = createReplay();
  for (const entry of entries) replay.apply(entry);
  const gate = new HistoryGate(writer, replay);
  const late = new AbortController();
  const endTimer = timers.after(compactorMsMax, () => late.abort());
  try {
    const signal = AbortSignal.any([task.signal, late.signal]);
    const outcome = await explore(ports, { ...task, signal }, { gate, table, desk });
    const { spent } = gate.state;
    if (desk.summary !== null) return { kind: "summary", summary: desk.summary, spent };
    if (task.signal.aborted) return { kind: "stopped", spent };
    const held = late.signal.aborted ? null : heldBy(outcome, ports);
    if (held !== null) return { kind: "held", outcome: held, message: whyNone(outcome, bounds), spent };
    const message = late.signal.aborted
      ? `it had not ended after ${compactorMsMax / 1000} s`
      : (desk.failure ?? whyNone(outcome, bounds));
    return { kind: "failed", message, spent };
  } finally {
    endTimer();
    await gate.close();
  }
}

interface Exploration {
  readonly gate: HistoryGate;
  readonly table: ToolTable;
  readonly desk: SummaryDesk;
}

/** Asks, and asks once more where it ends without a summary. */
async function explore(
  ports: CompactorPorts,
  { overview, signal }: CompactorTask,
  { gate, table, desk }: Exploration,
): Promise<RunOutcome> {
  const { model, clock, timers, bounds, limits } = ports;
  const worker = new Worker({
    history: gate,
    model,
    tools: table,
    head: { system: gate.state.prompt, config: () => gate.state.config },
    points: compactorPoints(desk, bounds, ports.gate),
    // What goes wrong with it is in its segment, and its end in the Pod's log.
    observer: () => {},
    clock,
    timers,
    ...(limits === undefined ? {} : { limits }),
    budget: () => ports.budget(gate.state.spent),
  });
  let outcome: RunOutcome = { kind: "cancelled" };
  for (const text of [compactorTask(overview, bounds.summaryTargetTokens), noSummaryYet]) {
    const maxTurns = bounds.turnsMax - gate.turnCount;
    if (maxTurns <= 0) return { kind: "limit_reached", limit: "turns", max: bounds.turnsMax };
    await gate.append([
      { kind: "invoke", trigger: "user_send" },
      { kind: "user_input", parts: [{ type: "text", text }] },
    ]);
    outcome = await worker.run({ mode: "new", signal, maxTurns });
    // That it was ended because its work was done is no abort.
    if (desk.summary !== null) outcome = { kind: "finished", text: "" };
    await gate.append([closingRecord(outcome)]);
    if (outcome.kind !== "finished" || desk.summary !== null) break;
  }
  return outcome;
}

/** Null: it is no reason for the Pod to wait too, or to end. */
function heldBy(outcome: RunOutcome, { isSameProvider }: CompactorPorts): HeldOutcome | null {
  if (outcome.kind === "limit_reached") return outcome.limit === "budget" ? outcome : null;
  return outcome.kind === "paused" && outcome.until !== undefined && isSameProvider ? outcome : null;
}

function whyNone(outcome: RunOutcome, bounds: CompactorPorts["bounds"]): string {
  switch (outcome.kind) {
    case "finished":
      return "it ended without a summary, also when it was asked for one again";
    case "limit_reached":
      return outcome.limit === "budget"
        ? budgetSentence(outcome)
        : `it came to no summary in ${bounds.turnsMax} turns`;
    case "failed":
      return outcome.failure.message;
    case "paused":
      return outcome.detail;
    case "yielded":
    case "aborted":
      return outcome.reason;
    case "cancelled":
    case "rolled_back":
      return "it was stopped";
  }
}
