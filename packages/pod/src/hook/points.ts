/** Hook points: the worker's loop points, answered by the hooks of the registry. The one place where an action becomes a decision. */
import { type Timers, YoiError } from "@yoi/base";
import type { HookContexts, HookPoint, OnPromptSubmitAction, OnPromptSubmitContext } from "@yoi/feature";
import type { CallView, LoopPoints } from "@yoi/worker";
import { AbortObservers } from "./abort-observers.ts";
import { AppendQueue } from "./append-queue.ts";
import { type Asked, askHooks } from "./ask.ts";
import { type ApprovalDesk, nobody } from "./nobody.ts";
import type { HookLabel, HookRegistry, HostActions, RegisteredHook } from "./registry.ts";

export interface HookPointsOptions {
  /** Closed by this. */
  readonly registry: HookRegistry;
  /** Without one no hook gets an append handle: nothing could be committed. */
  readonly hasWriter: boolean;
  readonly drain: LoopPoints["drain"];
  /** Absent: nothing waits for it. */
  readonly deliver?: LoopPoints["deliver"];
  readonly threshold: LoopPoints["threshold"];
  /** Whoever asks the user. Absent: nobody can be asked. */
  readonly approvals?: ApprovalDesk;
  readonly timers: Pick<Timers, "after">;
  /** For people, about the owner of a hook: what became of one that failed where it only observes, and of what was not appended. */
  readonly about: (owner: string, problem: string) => void;
  /** Takes known secrets out of what hooks say. */
  readonly redact: (text: string) => string;
}

export interface HookPoints extends LoopPoints {
  /** Before anything of an input is on record. Throws `cancelled` when the signal aborts meanwhile. */
  promptSubmit(context: OnPromptSubmitContext, signal: AbortSignal): Promise<OnPromptSubmitAction>;
  /** The on_abort hooks of a run are asked at this moment, and this owner has one of them. */
  isTelling(owner: string): boolean;
  /** Resolves when no on_abort hook is asked any more: at the latest after the limit of one hook. Await it before the Pod's end. */
  settled(): Promise<void>;
}

/** Points of a Pod whose hooks are all there. Nothing but the worker and the input's acceptance calls them. */
export function createHookPoints(options: HookPointsOptions): HookPoints {
  const { registry, hasWriter, drain, deliver, threshold, timers, about, redact } = options;
  const approvals = options.approvals ?? nobody;
  registry.close();
  const hooks = {
    promptSubmit: registry.at("on_prompt_submit"),
    preRequest: registry.at("pre_llm_request"),
    gate: registry.at("pre_tool_call"),
    safety: registry.at("pre_tool_call").filter(({ band }) => band === "host_safety"),
    afterResult: registry.at("post_tool_call"),
    turnEnd: registry.at("on_turn_end"),
  };
  const diagnostic = (hook: HookLabel, reason: string) => about(hook.owner.id, sentence(reason));
  const ask = <P extends HookPoint>(
    asked: readonly RegisteredHook<P>[],
    signal: AbortSignal,
    contextFor: (hook: RegisteredHook<P>) => HookContexts[P],
    /** Absent: an observer. */
    refusal?: (reason: string) => HostActions[P],
  ): Promise<Asked<P>> =>
    askHooks({
      hooks: asked,
      contextFor,
      signal,
      timers,
      redact,
      failed: (hook, reason) => {
        if (refusal !== undefined) return refusal(reason);
        diagnostic(hook, reason);
        return null;
      },
    });
  const askGates = (
    gates: readonly RegisteredHook<"pre_tool_call">[],
    { call, name, args, readOnly }: CallView,
    signal: AbortSignal,
  ) => {
    const context = Object.freeze({ callId: call, toolName: name, arguments: args, readOnly });
    return ask(
      gates,
      signal,
      () => context,
      (reason) => ({ action: "deny", message: `Refused: ${reason}. Nothing was done.`, refusal: "denied" }),
    );
  };
  const onAbort = new AbortObservers({ hooks: registry.at("on_abort"), timers, redact, diagnostic });
  let queue = new AppendQueue(about);
  /** Results of one answer come in at the same time; their observers are asked about one after the other. */
  let observing: Promise<unknown> = Promise.resolve();

  return {
    drain,
    deliver: deliver ?? (async () => {}),
    threshold,

    async promptSubmit(context, signal) {
      const frozen = Object.freeze({ inputText: context.inputText, turnIndex: context.turnIndex });
      const asked = await ask(hooks.promptSubmit, signal, () => frozen, cancelled);
      if (asked.cancelled || signal.aborted) {
        throw new YoiError(
          "cancelled",
          "The input was not accepted: it was cancelled while hooks were asked.",
        );
      }
      return asked.standing ?? goOn;
    },

    async preRequest({ items, tokens, turn, toolCallsThisRun }, signal) {
      queue.drop();
      if (hooks.preRequest.length === 0) return { action: "continue", queued: [] };
      const own = new AppendQueue(about);
      queue = own;
      const info = Object.freeze({
        itemCount: items,
        estimatedTokens: tokens,
        turnIndex: turn,
        toolCallsThisRun,
      });
      const asked = await ask(
        hooks.preRequest,
        signal,
        ({ owner }) =>
          Object.freeze({
            info,
            systemItems: owner.mayAppend && hasWriter ? own.handleFor(owner.id) : null,
          }),
        cancelled,
      );
      const queued = own.close();
      if (!asked.cancelled && asked.standing === null && !signal.aborted)
        return { action: "continue", queued };
      own.drop();
      return (asked.cancelled ? null : asked.standing) ?? cancelled(whileAsked);
    },

    queuedCommitted: (items) => queue.committed(items),

    async gate(view, signal) {
      const asked = await askGates(hooks.gate, view, signal);
      if (asked.cancelled) return { action: "abort", reason: whileAsked };
      const { standing } = asked;
      switch (standing?.action) {
        case undefined:
          return approvals.judged(view, null);
        case "ask":
          return approvals.judged(view, standing.reason);
        case "deny":
          return denialOf(standing);
        case "abort":
        case "pause":
          return standing;
      }
    },

    approval: (view, approval, signal) => approvals.decided(view, approval, signal),

    async recheck(view, signal) {
      // While somebody thought about it, and while it waited for its turn, the world went on: where a path leads may be forbidden by now.
      const asked = await askGates(hooks.safety, view, signal);
      const standing = asked.cancelled ? null : asked.standing;
      return standing?.action === "deny" ? denialOf(standing) : approvals.started(view);
    },

    async afterResult({ call, name }, { is_error, summary, content }, signal) {
      if (hooks.afterResult.length === 0) return goOn;
      const output = Object.freeze(content === undefined ? { summary } : { summary, content });
      const context = Object.freeze({ callId: call, toolName: name, isError: is_error, output });
      const asking = observing.then(() => ask(hooks.afterResult, signal, () => context));
      observing = asking;
      const asked = await asking;
      return (asked.cancelled ? null : asked.standing) ?? goOn;
    },

    async turnEnd(view, signal) {
      const { turn, toolCallsThisRun, finalTextPreview } = view;
      const context = Object.freeze({ turnIndex: turn, toolCallsThisRun, finalTextPreview });
      const asked = await ask(hooks.turnEnd, signal, () => context);
      return (asked.cancelled ? null : asked.standing) ?? { action: "finish" };
    },

    aborted(reason) {
      // Also after a commit that failed: what was to be committed with it never will be.
      queue.drop();
      onAbort.tell(reason);
    },

    isTelling: (owner) => onAbort.isTelling(owner),

    settled: () => onAbort.settled(),
  };
}

const goOn = { action: "continue" } as const;

type Denial = Extract<HostActions["pre_tool_call"], { readonly action: "deny" }>;

function denialOf(denial: Denial) {
  const refusal = "refusal" in denial ? denial.refusal : "denied";
  return { action: "deny", reason: denial.message, refusal } as const;
}

const whileAsked = "cancelled while hooks were asked";

const cancelled = (reason: string) => ({ action: "cancel", reason }) as const;

function sentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}
