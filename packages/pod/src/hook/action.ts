/** Actions of hooks, read: whatever came back, once a field, into an action of our own, or the sentence that says why it is none. */
import { isJsonObject, messageOf } from "@yoi/base";
import type { HookActions, HookPoint } from "@yoi/feature";
import type { HostActions } from "./registry.ts";

export type ReadAction<P extends HookPoint> =
  | { readonly action: HostActions[P] }
  | { readonly problem: string };

/** The tags of each point. */
const actionTags = {
  on_prompt_submit: ["continue", "cancel"],
  pre_llm_request: ["continue", "cancel", "yield"],
  pre_tool_call: ["continue", "deny", "abort", "pause"],
  post_tool_call: ["continue", "abort"],
  on_turn_end: ["finish", "pause"],
  on_abort: ["observed"],
} as const satisfies { readonly [P in HookPoint]: readonly HookActions[P]["action"][] };

type Fields = (name: string) => unknown;
type Said = (name: "reason" | "message") => string;
type Readers = {
  readonly [P in HookPoint]: (
    tag: unknown,
    said: Said,
    field: Fields,
    isSafety: boolean,
  ) => HostActions[P] | null;
};

const goOn = { action: "continue" } as const;

/** Each field is asked for at most once: what a getter or a Proxy would give the second time is never seen. */
const readers: Readers = {
  on_prompt_submit(tag, said) {
    switch (tag) {
      case "continue":
        return goOn;
      case "cancel":
        return { action: tag, reason: said("reason") };
      default:
        return null;
    }
  },
  pre_llm_request(tag, said) {
    switch (tag) {
      case "continue":
        return goOn;
      case "cancel":
      case "yield":
        return { action: tag, reason: said("reason") };
      default:
        return null;
    }
  },
  pre_tool_call(tag, said, field, isSafety) {
    switch (tag) {
      case "continue":
        return goOn;
      case "deny": {
        const message = said("message");
        return { action: tag, message, refusal: field("refusal") === "asked" ? "asked" : "denied" };
      }
      case "ask":
        return isSafety ? { action: tag, reason: said("reason") } : null;
      case "abort":
      case "pause":
        return { action: tag, reason: said("reason") };
      default:
        return null;
    }
  },
  post_tool_call(tag, said) {
    switch (tag) {
      case "continue":
        return goOn;
      case "abort":
        return { action: tag, reason: said("reason") };
      default:
        return null;
    }
  },
  on_turn_end(tag, said) {
    switch (tag) {
      case "finish":
        return { action: tag };
      case "pause":
        return { action: tag, reason: said("reason") };
      default:
        return null;
    }
  },
  on_abort: (tag) => (tag === "observed" ? { action: tag } : null),
};

/** @param isSafety of a host_safety hook, which has more to say. */
export function readAction<P extends HookPoint>(
  point: P,
  given: unknown,
  { isSafety } = { isSafety: false },
): ReadAction<P> {
  try {
    if (!isJsonObject(given)) return { problem: `it gave ${nameOf(given)} instead of an action` };
    // Only what the action itself holds: nothing that somebody put into a prototype lets a call through.
    const field: Fields = (name) => (Object.hasOwn(given, name) ? given[name] : undefined);
    const said: Said = (name) => {
      const text = field(name);
      if (typeof text !== "string") throw new NoAction(`the ${name} of its action is no text`);
      return text.trim() === "" ? "no reason given" : text;
    };
    const action = readers[point](field("action"), said, field, isSafety);
    return action === null
      ? { problem: `its action is not one of: ${actionTags[point].join(", ")}` }
      : { action };
  } catch (thrown) {
    if (thrown instanceof NoAction) return { problem: thrown.message };
    return { problem: `its action could not be read: ${messageOf(thrown)}` };
  }
}

class NoAction extends Error {}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : typeof value;
}
