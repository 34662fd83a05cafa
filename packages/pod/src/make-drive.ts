/** The drive of a Pod with the worker that it drives. */
import { type PruneLimits, Worker, type WorkerObserver } from "@yoi/worker";
import type { Alerts } from "./alert/alerts.ts";
import { Drive } from "./drive/drive.ts";
import type { Extended } from "./extend.ts";
import type { EventTrace } from "./history/event-trace.ts";
import type { HistoryGate } from "./history/gate.ts";
import type { HookPoints } from "./hook/points.ts";
import { boundedText } from "./hook/said.ts";
import type { Submissions } from "./inbox/submissions.ts";
import type { MadeCompaction } from "./make-compaction.ts";
import type { OpenPodOptions, PodSetup } from "./pod-options.ts";
import type { TreeBudget } from "./spawn/tree-budget.ts";
import type { InputPorts } from "./turn/given-input.ts";
import type { InputQueue } from "./turn/input-queue.ts";

interface DriveRequest {
  readonly options: OpenPodOptions;
  readonly setup: PodSetup;
  readonly gate: HistoryGate;
  readonly submissions: Submissions;
  readonly input: InputPorts;
  readonly queue: InputQueue;
  readonly extended: Extended;
  readonly points: HookPoints;
  readonly alerts: Alerts;
  readonly trace: EventTrace | null;
  readonly made: MadeCompaction;
  readonly budget: TreeBudget | null;
}

export function makeDrive(request: DriveRequest): Drive {
  const { options, setup, gate, submissions, input, queue, extended, points, alerts, trace, budget, made } =
    request;
  const { clock, timers } = options.ports;
  const { features, tools } = extended;
  const { limits } = setup.manifest;
  const worker = new Worker({
    history: gate,
    model: setup.model,
    tools,
    head: { system: gate.state.prompt, config: () => gate.state.config },
    points,
    observer: observerOf(options, trace, {
      warn: (text) => alerts.raise("warn", "worker", text),
      toolSaid: (tool, text) =>
        alerts.raise("warn", features.ownerOf(tool) ?? tool, boundedText(text, setup.featureHost)),
    }),
    clock,
    timers,
    limits: { contentBytesMax: limits.tool_output_bytes },
    prune: pruneOf(made.limits),
    budget: budget === null ? null : () => budget.reached(),
  });
  return new Drive({
    gate,
    submissions,
    input,
    queue,
    worker,
    room: made.room,
    clock,
    timers,
    ...(setup.forgetLimits === undefined ? {} : { forgetLimits: setup.forgetLimits }),
    maxTurns: limits.max_turns,
    beginsOwnRuns: options.beginsOwnRuns ?? false,
    // A result may have been given up, and an input may have left history with what it attached.
    unfinished: () => {
      setup.recall(gate.items, "whole");
      extended.restoreStates(gate);
    },
    observe: options.observer,
  });
}

function pruneOf({ prune, threshold, requestThreshold }: MadeCompaction["limits"]): PruneLimits {
  return {
    startTokens: prune.threshold,
    protectedTokens: prune.protected,
    minSavingsTokens: prune.savingsMin,
    dueTokens: { first: threshold, other: requestThreshold },
  };
}

/** Warnings, as alerts. */
interface Warnings {
  readonly warn: (text: string) => void;
  /** What a tool says of itself: any text. */
  readonly toolSaid: (tool: string, text: string) => void;
}

function observerOf(
  options: OpenPodOptions,
  trace: EventTrace | null,
  { warn, toolSaid }: Warnings,
): WorkerObserver {
  return (event) => {
    trace?.observe(event);
    if (event.type !== "warning") options.observer(event);
    else if (event.tool === undefined) warn(event.text);
    else toolSaid(event.tool, event.text);
  };
}
