/** The compaction of a Pod, with the thresholds that lead to it and the compactor that summarises for it. */
import { canonicalJson, type Item, type Tool, utf8Length } from "@yoi/base";
import type { ContextNow } from "@yoi/protocol";
import {
  addSize,
  bytesPerToken,
  ContextEstimate,
  estimateTokens,
  type GateDecision,
  type ItemSize,
  type LoopPoints,
  sizeOfItem,
} from "@yoi/worker";
import type { Alerts } from "./alert/alerts.ts";
import { Compaction } from "./compact/compaction.ts";
import type { CompactorPorts } from "./compact/compactor.ts";
import {
  compactionIndex,
  type CompactionLimits,
  compactionLimits,
  planCompaction,
} from "./compact/plan/index.ts";
import { overThreshold } from "./compact/thresholds.ts";
import type { Room } from "./drive/make-room.ts";
import type { Extended } from "./extend.ts";
import { toldNext } from "./inbox/inbox.ts";
import { boundedText } from "./hook/said.ts";
import type { HookPoints } from "./hook/points.ts";
import type { OpenPodOptions, PodSetup } from "./pod-options.ts";
import { permissionHook } from "./policy/permission-hook.ts";
import { sessionReadName, sessionSearchName } from "./policy/session-tools.ts";
import type { OpenSession } from "./restore/open-session.ts";
import type { TreeBudget } from "./spawn/tree-budget.ts";

/** What a compactor explores with, where the Pod has it. */
const explorers: readonly string[] = [sessionSearchName, sessionReadName, "Read"];

interface CompactionRequest {
  readonly options: OpenPodOptions;
  readonly setup: PodSetup;
  readonly session: OpenSession;
  readonly extended: Extended;
  readonly alerts: Alerts;
  readonly budget: TreeBudget | null;
}

export interface MadeCompaction {
  readonly compaction: Compaction;
  readonly room: Room;
  readonly limits: CompactionLimits;
  readonly threshold: HookPoints["threshold"];
  /** What the next request would hold, about. */
  readonly context: () => ContextNow;
}

export function makeCompaction(request: CompactionRequest): MadeCompaction {
  const { options, setup, session, extended, alerts } = request;
  const { gate, rotator } = session;
  const { tools, features } = extended;
  const choice = setup.manifest.compaction;
  const limits = compactionLimits(choice, windowOf(setup));
  const model = () => gate.state.config.model;
  const head: ItemSize = {
    bytes: utf8Length(gate.state.prompt) + utf8Length(canonicalJson(tools.definitions)),
    images: 0,
  };
  const estimate = new ContextEstimate(head.bytes, model);
  const tokens = () => {
    const told = toldNext(gate.state).map(({ item }) => item);
    return estimate.of(gate, told).tokens;
  };
  const warn = (text: string) => alerts.raise("warn", "host", boundedText(text, setup.featureHost));
  const compaction = new Compaction({
    gate,
    ids: options.ports.ids,
    compactor: compactorPorts(request, limits),
    overview: (state) => compactionIndex(state, limits),
    plan: (state, wish) => {
      const rate = bytesPerToken(state.calibration, model());
      const sizeWith = (items: readonly Item[], size: ItemSize) =>
        items.reduce((sum, item) => addSize(sum, sizeOfItem(item)), size);
      const planBeside = (beside: ItemSize) =>
        planCompaction({
          ...wish,
          state,
          featureTexts: features.states.describeAll().texts,
          readFiles: setup.readFiles(),
          limits,
          sizeOf: (items) => estimateTokens(sizeWith(items, beside), rate),
        });
      const told = toldNext(state).map(({ item }) => item);
      const plan = planBeside(sizeWith(told, head));
      // What is told next may be larger than the window: then there is room for some of it at least.
      return "refused" in plan && told.length > 0 ? planBeside(head) : plan;
    },
    tokens,
    headTokens: () => estimateTokens(head, bytesPerToken(gate.state.calibration, model())),
    states: () => {
      const { states, problems } = features.states.snapshot();
      extended.tellStates([...problems, ...features.states.describeAll().problems]);
      return states;
    },
    rotate: (plan) => rotator.rotate(plan),
    warn,
  });
  return {
    compaction,
    limits,
    context: () => ({ tokens: tokens(), window: setup.model.limits.contextWindow }),
    room: {
      isAutomatic: limits.enabled,
      get isWorthIt() {
        return compaction.isWorthIt;
      },
      run: (wish) => compaction.run(wish),
    },
    threshold: (size, _phase, isFirst) =>
      overThreshold(
        size,
        { ...limits, isLimitSet: limits.limit === choice.limit },
        { isFirst, gains: () => compaction.isWorthIt },
      ),
  };
}

function windowOf({ model, config }: Pick<PodSetup, "model" | "config">) {
  const { contextWindow, outputTokensMax } = model.limits;
  return {
    contextWindow,
    outputTokensMax: config.max_output_tokens ?? outputTokensMax ?? Math.ceil(contextWindow / 4),
  };
}

function compactorPorts(
  { options, setup, session, extended, budget }: CompactionRequest,
  { summary, ...limits }: CompactionLimits,
): CompactorPorts {
  const { clock, timers } = options.ports;
  const { gate } = session;
  const { compactor } = setup;
  // One with a smaller window is bounded by that.
  const { worker } =
    compactor === undefined ? limits : compactionLimits(setup.manifest.compaction, windowOf(compactor));
  const tools = explorers.flatMap((name): readonly Tool[] => {
    const tool = extended.tools.get(name);
    return tool === null || !tool.readOnly ? [] : [tool];
  });
  return {
    sessions: options.sessions,
    version: options.version,
    clock,
    timers,
    model: compactor?.model ?? setup.model,
    config: () => compactor?.config ?? gate.state.config,
    tools,
    gate: permitted(extended),
    budget: async (beside) => (await budget?.reached(beside)) ?? null,
    isSameProvider: compactor === undefined || compactor.model.provider === setup.model.provider,
    limits: { contentBytesMax: setup.manifest.limits.tool_output_bytes },
    bounds: {
      contextTokensMax: worker.contextMax,
      warningTokens: worker.finishWarning,
      reserveTokens: worker.finalReserve,
      turnsMax: worker.turnsMax,
      summaryTargetTokens: summary.target,
      summaryTokensMax: summary.max,
    },
  };
}

/** The rules and modes of the Pod hold for its compactor, and nobody is asked for it. */
function permitted({ permissions }: Extended): LoopPoints["gate"] {
  const ask = permissionHook(permissions);
  return async ({ call, name, args, readOnly }): Promise<GateDecision> => {
    const answer = await ask({ callId: call, toolName: name, arguments: args, readOnly });
    if (answer.action === "continue") return { action: "allow" };
    const reason = "message" in answer ? answer.message : answer.reason;
    return { action: "deny", reason, refusal: "denied" };
  };
}
