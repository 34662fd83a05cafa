/** A Worker on the bench: scripted model, log history, virtual time, and tools that say what they did. */
import type { JsonObject, Timers, Tool, ToolContext, ToolOutput } from "@yoi/base";
import { type MemoryHost, memoryHost } from "@yoi/host";
import type { Model } from "@yoi/model";
import { openScripted, type ScriptedModel } from "../../../model/src/scripted/index.ts";
import {
  type BudgetCheck,
  type LoopPoints,
  noPoints,
  type PruneLimits,
  type RunOutcome,
  ToolTable,
  Worker,
  type WorkerEvent,
  type WorkerLimits,
} from "../../src/index.ts";
import { LogHistory } from "./log-history.ts";

export interface RunOnBench {
  readonly maxTurns?: number;
  readonly signal?: AbortSignal;
  /** When it is cancelled. */
  readonly leavesOpen?: boolean;
}

export interface Bench {
  readonly history: LogHistory;
  readonly host: MemoryHost;
  readonly scripted: ScriptedModel;
  readonly tools: ToolTable;
  readonly worker: Worker;
  readonly events: WorkerEvent[];
  /** Timers of the worker that are still set. */
  pendingTimers(): number;
  /** Says something, or resumes without a text, and runs to the end. Timers up to a minute fire at once. */
  run(text: string | null, options?: RunOnBench): Promise<RunOutcome>;
  start(text: string | null, options?: RunOnBench): Promise<RunOutcome>;
}

export interface BenchOptions {
  /** YAML of the steps, or of a whole scenario. */
  readonly scenario?: string;
  readonly model?: (scripted: ScriptedModel) => Model;
  readonly history?: LogHistory;
  readonly tools?: readonly Tool[];
  readonly points?: Partial<LoopPoints>;
  readonly limits?: Partial<WorkerLimits>;
  readonly prune?: PruneLimits;
  readonly budget?: BudgetCheck;
  readonly observer?: (event: WorkerEvent) => void;
}

export function bench(options: BenchOptions): Bench {
  const host = memoryHost({ seed: 1 });
  const scripted = openScripted({
    name: "s.yaml",
    text: options.scenario ?? "steps: [{ text: ok }]",
    ports: host,
    keepRequests: true,
  });
  const history = options.history ?? new LogHistory();
  const events: WorkerEvent[] = [];
  const tools = ToolTable.create(options.tools ?? [echo()]);
  const pending = new Set<symbol>();
  const after: Timers["after"] = (delayMs, fire) => {
    const timer = Symbol("timer");
    pending.add(timer);
    const cancel = host.timers.after(delayMs, () => {
      pending.delete(timer);
      fire();
    });
    return () => {
      pending.delete(timer);
      cancel();
    };
  };
  const worker = new Worker({
    history,
    model: options.model?.(scripted) ?? scripted,
    tools,
    head: { system: "Be brief.", config: () => history.state.config },
    points: { ...noPoints, ...options.points },
    observer: (event) => {
      events.push(event);
      options.observer?.(event);
    },
    clock: host.clock,
    timers: { after, sleep: (ms, signal) => host.timers.sleep(ms, signal) },
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.prune === undefined ? {} : { prune: options.prune }),
    ...(options.budget === undefined ? {} : { budget: options.budget }),
  });
  const start: Bench["start"] = async (text, { maxTurns, signal, leavesOpen = false } = {}) => {
    if (text !== null) await history.say(text);
    return worker.run({
      mode: text === null ? "resume" : "new",
      signal: signal ?? new AbortController().signal,
      maxTurns: maxTurns ?? null,
      leavesOpen: () => leavesOpen,
    });
  };
  const run: Bench["run"] = async (text, runOptions) => {
    const outcome = start(text, runOptions);
    let over = false;
    const watched = outcome.finally(() => {
      over = true;
    });
    watched.catch(() => {});
    for (let minute = 0; minute < 60 && !over; minute += 1) await host.advance(1_000);
    return watched;
  };
  return { history, host, scripted, tools, worker, events, pendingTimers: () => pending.size, run, start };
}

export function tool(
  name: string,
  execute: (args: JsonObject, context: ToolContext) => Promise<ToolOutput>,
  more: Partial<Pick<Tool, "readOnly" | "claim">> = {},
): Tool {
  return {
    definition: { name, description: `${name} it`, input_schema: { type: "object" } },
    readOnly: false,
    execute,
    ...more,
  };
}

/** Gives its argument `say` back. */
export function echo(name = "Echo"): Tool {
  return tool(name, async (args) => ({ summary: `said ${String(args["say"])}` }));
}

/** A promise and its ends. */
export function gate<T = void>(): { readonly promise: Promise<T>; readonly open: (value: T) => void } {
  const { promise, resolve } = Promise.withResolvers<T>();
  return { promise, open: resolve };
}
