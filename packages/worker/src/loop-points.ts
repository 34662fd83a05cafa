/** LoopPoints: every place of the loop where something outside the worker decides or adds. One internal port; the public hooks come through it. */
import type {
  AllowedBy,
  CallId,
  JsonObject,
  Refusal,
  ScopeWish,
  SystemItem,
  SystemItemEntry,
  ToolResult,
} from "@yoi/base";

/** How large a request would be. */
export interface ContextSize {
  readonly items: number;
  /** Estimated tokens: the provider's last count plus an estimate of what came since. */
  readonly tokens: number;
}

export interface PreRequestView extends ContextSize {
  /** Turns of this run so far. */
  readonly turn: number;
  readonly toolCallsThisRun: number;
}

/** `queued` is committed before the request if nobody vetoes and the size allows; on cancel or yield of a hook it is dropped. */
export type PreRequestDecision =
  | { readonly action: "continue"; readonly queued: readonly SystemItem[] }
  | { readonly action: "yield"; readonly reason: string }
  | { readonly action: "cancel"; readonly reason: string };

/** A call as the gates judge it: the frozen arguments are the ones that will run. */
export interface CallView {
  readonly call: CallId;
  readonly name: string;
  readonly args: JsonObject;
  readonly readOnly: boolean;
}

/** What somebody is asked about a call: the `approval_asked` of the log. */
export interface AskedApproval {
  readonly reason: string;
  readonly digest: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
  /** Rules that the answer may keep; absent: none. */
  readonly offers?: readonly string[];
  readonly wish?: ScopeWish;
}

export type GateDecision =
  /** `by`: answers of the user to other calls that let it start; absent: none had to. */
  | { readonly action: "allow"; readonly by?: readonly AllowedBy[] }
  /** One error result with this sentence, on which the kind of refusal is on record; the batch goes on. */
  | { readonly action: "deny"; readonly reason: string; readonly refusal: Refusal }
  /** The call waits for the user, the batch goes on. The digest is of the arguments that will run. */
  | { readonly action: "ask"; readonly approval: AskedApproval }
  /** Nothing of the batch starts; the run pauses and the gates are asked again on resume. */
  | { readonly action: "pause"; readonly reason: string }
  /** Every call of the batch gets "not executed"; the run ends aborted. */
  | { readonly action: "abort"; readonly reason: string };

/** What became of a call that was asked about. */
export type ApprovalDecision =
  /** `by`: answers of the user to other calls without which it would not start, or not so. */
  | { readonly action: "allow"; readonly by?: readonly AllowedBy[] }
  | { readonly action: "deny"; readonly reason: string; readonly refusal: Refusal };

export type AfterResultDecision =
  | { readonly action: "continue" }
  /** The run ends aborted after every started call has its result. */
  | { readonly action: "abort"; readonly reason: string };

export interface TurnEndView {
  readonly turn: number;
  readonly toolCallsThisRun: number;
  /** The first bytes of the final text, cut at a character. */
  readonly finalTextPreview: string;
}
export type TurnEndDecision =
  | { readonly action: "finish" }
  | { readonly action: "pause"; readonly reason: string };

/**
 * Every method is raced with cancellation by the worker; what is left is awaited by nobody, and `signal` tells it so. A gate that throws denies,
 * with the reason.
 */
export interface LoopPoints {
  /** Step 1: what waits to enter history, one system item each. What is not committed of it is handed out again. */
  drain(): Promise<readonly SystemItemEntry[]>;
  /** Step 1, behind that: puts what the user gave for this moment on record. Not raced: when it resolves that is done, or will not be. */
  deliver(signal: AbortSignal): Promise<void>;
  /** Steps 2 and 4: a reason to yield instead of sending, or null. `isFirst`: the run has had no answer yet. */
  threshold(size: ContextSize, phase: "committed" | "effective", isFirst: boolean): string | null;
  /** Step 3. */
  preRequest(view: PreRequestView, signal: AbortSignal): Promise<PreRequestDecision>;
  /** Told what of `queued` was committed: nothing is called for dropped ones. */
  queuedCommitted(items: readonly SystemItem[]): void;
  /** Step 7, in call order. */
  gate(call: CallView, signal: AbortSignal): Promise<GateDecision>;
  /** Step 8, once `approval_asked` is durable: resolves when the user has decided, or the time for it is over. A throw denies, with the reason. */
  approval(call: CallView, asked: AskedApproval, signal: AbortSignal): Promise<ApprovalDecision>;
  /** Step 8, right before a call starts that the user allowed, which may be long after the answer. A throw denies, with the reason. */
  recheck(call: CallView, signal: AbortSignal): Promise<ApprovalDecision>;
  /** Step 9, once a result is durable. A throw is a diagnostic, nothing more. */
  afterResult(call: CallView, result: ToolResult, signal: AbortSignal): Promise<AfterResultDecision>;
  /** Step 10. */
  turnEnd(view: TurnEndView, signal: AbortSignal): Promise<TurnEndDecision>;
  /** Observer: the run was cancelled, aborted or failed. */
  aborted(reason: string): void;
}

/** Points at which nothing happens: the default, and the base for tests that care about one of them. */
export const noPoints: LoopPoints = {
  drain: async () => [],
  deliver: async () => {},
  threshold: () => null,
  preRequest: async () => ({ action: "continue", queued: [] }),
  queuedCommitted: () => {},
  gate: async () => ({ action: "allow" }),
  approval: async () => ({ action: "deny", reason: "nobody can be asked", refusal: "asked" }),
  recheck: async () => ({ action: "allow" }),
  afterResult: async () => ({ action: "continue" }),
  turnEnd: async () => ({ action: "finish" }),
  aborted: () => {},
};
