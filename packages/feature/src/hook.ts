/** Hooks: the points of a run at which a feature is asked. Each has a context of its own, a frozen copy of values, and an action of its own. */
import type { CallId, JsonObject } from "@yoi/base";
import type { SystemItemAppendHandle } from "./append-handle.ts";

/** Before a user's input is accepted: nothing of it is on record yet. A failure cancels. */
export interface OnPromptSubmitContext {
  /** The text parts of the input, as one. */
  readonly inputText: string;
  /** Turns completed in this segment. */
  readonly turnIndex: number;
}
export type OnPromptSubmitAction =
  | { readonly action: "continue" }
  /** The input is refused, and leaves no trace. */
  | { readonly action: "cancel"; readonly reason: string };

/** Before each request. A failure cancels. */
export interface PreLlmRequestContext {
  readonly info: {
    /** Items of the committed context. */
    readonly itemCount: number;
    /** The provider's last count plus an estimate of what came since. */
    readonly estimatedTokens: number;
    /** Turns of this run so far. */
    readonly turnIndex: number;
    readonly toolCallsThisRun: number;
  };
  /** Null: this feature has no right to it. */
  readonly systemItems: SystemItemAppendHandle | null;
}
export type PreLlmRequestAction =
  | { readonly action: "continue" }
  /** The run ends as aborted. */
  | { readonly action: "cancel"; readonly reason: string }
  /** The host does something about the context first; without a way to do so the run pauses. */
  | { readonly action: "yield"; readonly reason: string };

/** Before a tool call starts, in call order. A failure denies. */
export interface PreToolCallContext {
  readonly callId: CallId;
  readonly toolName: string;
  /** What will run, if it does. */
  readonly arguments: JsonObject;
  readonly readOnly: boolean;
}
export type PreToolCallAction =
  | { readonly action: "continue" }
  /** One error result with this sentence; the other calls go on. */
  | { readonly action: "deny"; readonly message: string }
  /** No call of the answer is executed; the run ends as aborted. */
  | { readonly action: "abort"; readonly reason: string }
  /** No call of the answer is executed; the run pauses, and hooks are asked again when it is resumed. */
  | { readonly action: "pause"; readonly reason: string };

/** After a tool's result is on record; about one result at a time, also where calls ran beside each other. A failure is a diagnostic. */
export interface PostToolCallContext {
  readonly callId: CallId;
  readonly toolName: string;
  readonly isError: boolean;
  /** As committed: within the limits of a result. */
  readonly output: { readonly summary: string; readonly content?: string };
}
export type PostToolCallAction =
  | { readonly action: "continue" }
  /** The run ends as aborted, after every call that was started has its result. */
  | { readonly action: "abort"; readonly reason: string };

/** After an answer without tool calls. A failure is a diagnostic. */
export interface OnTurnEndContext {
  /** Turns of this run so far. */
  readonly turnIndex: number;
  readonly toolCallsThisRun: number;
  /** The first 512 bytes of the answer, cut at a character. */
  readonly finalTextPreview: string;
}
export type OnTurnEndAction =
  | { readonly action: "finish" }
  | { readonly action: "pause"; readonly reason: string };

/** A run was cancelled, aborted or failed. A failure is a diagnostic. */
export interface OnAbortContext {
  readonly reason: string;
}
export interface OnAbortAction {
  readonly action: "observed";
}

export interface HookContexts {
  readonly on_prompt_submit: OnPromptSubmitContext;
  readonly pre_llm_request: PreLlmRequestContext;
  readonly pre_tool_call: PreToolCallContext;
  readonly post_tool_call: PostToolCallContext;
  readonly on_turn_end: OnTurnEndContext;
  readonly on_abort: OnAbortContext;
}
export interface HookActions {
  readonly on_prompt_submit: OnPromptSubmitAction;
  readonly pre_llm_request: PreLlmRequestAction;
  readonly pre_tool_call: PreToolCallAction;
  readonly post_tool_call: PostToolCallAction;
  readonly on_turn_end: OnTurnEndAction;
  readonly on_abort: OnAbortAction;
}

export const hookPoints = [
  "on_prompt_submit",
  "pre_llm_request",
  "pre_tool_call",
  "post_tool_call",
  "on_turn_end",
  "on_abort",
] as const;
export type HookPoint = (typeof hookPoints)[number];

/**
 * Asked with a frozen context, one hook after the other, for at most 5 s, and no longer than the run goes on. The first action that is not
 * "continue" or "finish" stands, and no later hook is asked.
 */
export type Hook<P extends HookPoint> = (
  context: HookContexts[P],
) => HookActions[P] | Promise<HookActions[P]>;
