/** The hook contract as types: what does not hold here does not compile. Beside it the few names that exist at run time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as feature from "../src/index.ts";
import type {
  AppendReceipt,
  Hook,
  HookActions,
  HookContexts,
  HookPoint,
  HookRegistrar,
  OnAbortAction,
  OnPromptSubmitAction,
  OnTurnEndAction,
  PostToolCallAction,
  PreLlmRequestAction,
  PreToolCallAction,
  SystemItemAppendHandle,
} from "../src/index.ts";

/** Compiles only where every element is `true`. */
function hold<_Checks extends readonly true[]>(): void {}
/** The same type, modifiers included. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Not<A extends boolean> = A extends true ? false : true;
type Fits<A, B> = [A] extends [B] ? true : false;
/** Every field that any member has. */
type Fields<A> = A extends unknown ? keyof A : never;
type Tagged<A, Tag> = Extract<A, { readonly action: Tag }>;

type Continue = { readonly action: "continue" };
type Reasoned<Tag> = { readonly action: Tag; readonly reason: string };

test("the checks themselves: a claim that is wrong does not compile", () => {
  hold<[Same<"a", "a">, Not<Same<"a", "b">>, Not<Same<{ a: 1 }, { readonly a: 1 }>>, Fits<"a", "a" | "b">]>();
  // @ts-expect-error "a" and "b" are not the same
  hold<[Same<"a", "b">]>();
  // @ts-expect-error one wrong claim among right ones
  hold<[Same<"a", "a">, Fits<"c", "a" | "b">]>();
});

test("A0-01, A1-01: each point has a union of its own, and none takes the place of another beyond what both have", () => {
  hold<
    [
      Not<Fits<OnPromptSubmitAction, PreToolCallAction>>,
      Not<Fits<OnPromptSubmitAction, PostToolCallAction>>,
      Not<Fits<PreLlmRequestAction, OnPromptSubmitAction>>,
      Not<Fits<PreLlmRequestAction, PreToolCallAction>>,
      Not<Fits<PreLlmRequestAction, PostToolCallAction>>,
      Not<Fits<PreToolCallAction, OnPromptSubmitAction>>,
      Not<Fits<PreToolCallAction, PreLlmRequestAction>>,
      Not<Fits<PreToolCallAction, PostToolCallAction>>,
      Not<Fits<PostToolCallAction, OnPromptSubmitAction>>,
      Not<Fits<PostToolCallAction, PreLlmRequestAction>>,
      Not<Fits<PostToolCallAction, OnTurnEndAction>>,
      Not<Fits<OnTurnEndAction, PreToolCallAction>>,
      Not<Fits<OnTurnEndAction, OnAbortAction>>,
      Not<Fits<OnAbortAction, PostToolCallAction>>,
    ]
  >();
  hold<
    [
      Same<Extract<OnPromptSubmitAction, PreToolCallAction>, Continue>,
      Same<Extract<PreLlmRequestAction, PostToolCallAction>, Continue>,
      Same<Extract<OnTurnEndAction, PreLlmRequestAction>, never>,
      Same<Extract<OnAbortAction, HookActions[Exclude<HookPoint, "on_abort">]>, never>,
      Not<Fits<Hook<"pre_tool_call">, Hook<"pre_llm_request">>>,
      Not<Fits<Hook<"pre_llm_request">, Hook<"pre_tool_call">>>,
      Not<Fits<Hook<"on_turn_end">, Hook<"post_tool_call">>>,
    ]
  >();
  assert.equal(new Set(feature.hookPoints).size, 6);
});

test("A1-02, A0-40, F-23: a pre-request action is continue, cancel or yield with a reason, and no yield brings anything along", () => {
  hold<[Same<PreLlmRequestAction, Continue | Reasoned<"cancel"> | Reasoned<"yield">>]>();
  const actions: PreLlmRequestAction[] = [{ action: "yield", reason: "r" }];
  // @ts-expect-error a yield with items is the host's own
  actions.push({ action: "yield_with", reason: "r", items: [] });
  // @ts-expect-error and so is a yield that brings them along
  actions.push({ action: "yield", reason: "r", items: [] });
  // @ts-expect-error a yield says why
  actions.push({ action: "yield" });
  assert.equal(actions.length, 4);
});

test("A0-14, A1-12, A2-14, A2-76: the actions of every point are exactly these: no items, no continue-with, no skip, no result, no other arguments", () => {
  hold<
    [
      Same<OnPromptSubmitAction, Continue | Reasoned<"cancel">>,
      Same<
        PreToolCallAction,
        | Continue
        | { readonly action: "deny"; readonly message: string }
        | Reasoned<"abort">
        | Reasoned<"pause">
      >,
      Same<PostToolCallAction, Continue | Reasoned<"abort">>,
      Same<OnTurnEndAction, { readonly action: "finish" } | Reasoned<"pause">>,
      Same<Fits<OnAbortAction, { readonly action: "observed" }>, true>,
      Same<Fields<OnAbortAction>, "action">,
      Same<Fields<HookActions[HookPoint]>, "action" | "reason" | "message">,
      // All that an action can carry is a text.
      Same<Tagged<HookActions[HookPoint], "deny">["message"], string>,
      Same<Extract<HookActions[HookPoint], { readonly reason: unknown }>["reason"], string>,
      Same<keyof HookActions, HookPoint>,
      Same<keyof HookContexts, HookPoint>,
    ]
  >();
  const refused: HookActions[HookPoint][] = [];
  // @ts-expect-error raw items
  refused.push({ action: "continue", items: [] });
  // @ts-expect-error the predecessor's lane for them
  refused.push({ action: "continue_with", items: [] });
  // @ts-expect-error a call without a result
  refused.push({ action: "skip" });
  // @ts-expect-error a result of the hook's making
  refused.push({ action: "deny", message: "m", result: { summary: "done", is_error: false } });
  // @ts-expect-error other arguments
  refused.push({ action: "continue", arguments: {} });
  // @ts-expect-error another output
  refused.push({ action: "continue", output: { summary: "other" } });
  // @ts-expect-error a message at the end of a turn
  refused.push({ action: "continue_with_messages", messages: [] });
  assert.equal(refused.length, 7);
});

test("A0-02, A1-03, A1-11: contexts have exactly these fields, and only the pre-request one has the handle", () => {
  hold<
    [
      Same<keyof HookContexts["on_prompt_submit"], "inputText" | "turnIndex">,
      Same<keyof HookContexts["pre_llm_request"], "info" | "systemItems">,
      Same<
        keyof HookContexts["pre_llm_request"]["info"],
        "itemCount" | "estimatedTokens" | "turnIndex" | "toolCallsThisRun"
      >,
      Same<HookContexts["pre_llm_request"]["systemItems"], SystemItemAppendHandle | null>,
      Same<keyof HookContexts["pre_tool_call"], "callId" | "toolName" | "arguments" | "readOnly">,
      Same<keyof HookContexts["post_tool_call"], "callId" | "toolName" | "isError" | "output">,
      Same<keyof HookContexts["post_tool_call"]["output"], "summary" | "content">,
      Same<keyof HookContexts["on_turn_end"], "turnIndex" | "toolCallsThisRun" | "finalTextPreview">,
      Same<keyof HookContexts["on_abort"], "reason">,
    ]
  >();
  const written = (contexts: HookContexts) => {
    // @ts-expect-error a context is a snapshot
    contexts.pre_tool_call.toolName = "Other";
    // @ts-expect-error down to the arguments
    contexts.pre_tool_call.arguments["say"] = "b";
    // @ts-expect-error and to the output
    contexts.post_tool_call.output.summary = "other";
    // @ts-expect-error and to the size
    contexts.pre_llm_request.info.itemCount = 0;
  };
  assert.equal(written.length, 1);
});

test("A0-04, A0-09, A1-04: the handle is an interface of one method, which takes a text and gives a receipt; nothing that is exported makes one", () => {
  hold<
    [
      Same<keyof SystemItemAppendHandle, "appendTaskReminder">,
      Same<Parameters<SystemItemAppendHandle["appendTaskReminder"]>, [body: string]>,
      Same<ReturnType<SystemItemAppendHandle["appendTaskReminder"]>, AppendReceipt>,
      Same<AppendReceipt, { readonly state: "queued" | "committed" | "dropped" }>,
    ]
  >();
  // @ts-expect-error an interface has no constructor
  const made = () => new feature.SystemItemAppendHandle();
  assert.throws(made, TypeError);
  const classes = Object.values(feature).filter((value) => typeof value === "function");
  assert.deepEqual(classes.map((value) => value.name).toSorted(), [
    "featureId",
    "serviceId",
    "sourceOf",
    "toolContribution",
  ]);
});

test("A0-10, A1-14: the surface: these points, these values, and no channel for events, effects or payloads", () => {
  assert.deepEqual(feature.hookPoints, [
    "on_prompt_submit",
    "pre_llm_request",
    "pre_tool_call",
    "post_tool_call",
    "on_turn_end",
    "on_abort",
  ]);
  assert.deepEqual(Object.keys(feature).toSorted(), [
    "authorityKinds",
    "childInstructionBytesMax",
    "childMessageBytesMax",
    "describedBytesMax",
    "featureId",
    "featureRuntimeKinds",
    "featureSources",
    "hookPoints",
    "lentRulesMax",
    "peerMessageBytesMax",
    "podOutputBytesMax",
    "podsListedMax",
    "serviceId",
    "sourceOf",
    "sourceQualifiedCharsMax",
    "toolContribution",
  ]);
  hold<
    [
      Same<
        keyof HookRegistrar,
        "onPromptSubmit" | "preLlmRequest" | "preToolCall" | "postToolCall" | "onTurnEnd" | "onAbort"
      >,
      Same<Parameters<HookRegistrar["preLlmRequest"]>, [name: string, hook: Hook<"pre_llm_request">]>,
      Same<Parameters<HookRegistrar["preToolCall"]>, [name: string, hook: Hook<"pre_tool_call">]>,
    ]
  >();
});

test("A2-11, A2-14: a hook is one function from the context of its point to an action of the same point", () => {
  hold<
    [
      Same<Parameters<Hook<"pre_tool_call">>, [context: HookContexts["pre_tool_call"]]>,
      Same<ReturnType<Hook<"pre_tool_call">>, PreToolCallAction | Promise<PreToolCallAction>>,
      Same<Parameters<Hook<"on_abort">>, [context: HookContexts["on_abort"]]>,
      Same<ReturnType<Hook<"on_abort">>, OnAbortAction | Promise<OnAbortAction>>,
    ]
  >();
  // @ts-expect-error no priority beside the name and the hook
  const withPriority = (hooks: HookRegistrar) => hooks.onTurnEnd("n", () => ({ action: "finish" }), 10);
  assert.equal(withPriority.length, 1);
});
