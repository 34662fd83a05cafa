/** A Worker on the bench with real hook points: hooks in, what became of them out. */
import type { HookPoint } from "@yoi/feature";
import { type Bench, bench, type BenchOptions } from "../../../../worker/test/support/bench-worker.ts";
import { type Alert, Alerts } from "../../../src/alert/alerts.ts";
import { createHookPoints, type HookPoints } from "../../../src/hook/points.ts";
import { type HookBand, type HookOwner, HookRegistry, type HostHook } from "../../../src/hook/registry.ts";

export type Add = (registry: HookRegistry) => void;

export const task: HookOwner = { id: "builtin:task", mayAppend: true };
export const lint: HookOwner = { id: "project:lint", mayAppend: false };

/** One hook of a feature that may append, unless it says otherwise. Named after its point. */
export function hook<P extends HookPoint>(
  point: P,
  asked: HostHook<P>,
  {
    band = "feature",
    owner = task,
    name = point,
  }: { band?: HookBand; owner?: HookOwner; name?: string } = {},
): Add {
  return (registry) => registry.add(band, owner, name, point, asked);
}

export interface HookBenchOptions extends Omit<BenchOptions, "points"> {
  readonly hooks: readonly Add[];
  readonly hasWriter?: boolean;
  readonly threshold?: HookPoints["threshold"];
  readonly drain?: HookPoints["drain"];
}

export interface HookBench extends Bench {
  readonly points: HookPoints;
  readonly alerts: Alerts;
  /** Timers that hooks have needed so far, and how many of them are still set. */
  readonly hookTimers: { set: number; pending: number };
}

/** Secrets are the word `hunter2`. */
export const redact = (text: string): string => text.replaceAll("hunter2", "[redacted]");

/** Alerts as `source: message`. */
export function said(alerts: readonly Alert[]): string[] {
  return alerts.map(({ source, message }) => `${source}: ${message}`);
}

export function hookBench(options: HookBenchOptions): HookBench {
  const registry = new HookRegistry();
  for (const add of options.hooks) add(registry);
  const hookTimers = { set: 0, pending: 0 };
  const alerts = new Alerts({ clock: { now: () => 0 }, told: () => {} });
  const points = createHookPoints({
    registry,
    hasWriter: options.hasWriter ?? true,
    drain: options.drain ?? (async () => []),
    threshold: options.threshold ?? (() => null),
    timers: {
      after(ms, fire) {
        hookTimers.set += 1;
        hookTimers.pending += 1;
        const over = once(() => {
          hookTimers.pending -= 1;
        });
        // The bench makes its host below; no timer is set before a run.
        const cancel = made.host.timers.after(ms, () => {
          over();
          fire();
        });
        return () => {
          over();
          cancel();
        };
      },
    },
    about: (owner, problem) => alerts.raise("warn", owner, problem),
    redact,
  });
  const made = bench({ ...options, points });
  return { ...made, points, alerts, hookTimers };
}

function once(run: () => void): () => void {
  let done = false;
  return () => {
    if (!done) run();
    done = true;
  };
}

export const goOn = { action: "continue" } as const;

/** Any point's action that goes on. */
export const goesOn = {
  on_prompt_submit: goOn,
  pre_llm_request: goOn,
  pre_tool_call: goOn,
  post_tool_call: goOn,
  on_turn_end: { action: "finish" },
  on_abort: { action: "observed" },
} as const;

/** A call, then the end. */
export const oneCall = `
steps:
  - tool_calls: [{ name: Echo, arguments: { say: a, deep: { list: [1] } } }]
  - text: end
`;

/** A reason as it is recorded: whose it is, and what it says. */
export function owned(name: string, text: string, owner = "builtin:task"): string {
  return `${owner} (${name}): ${text}`;
}
