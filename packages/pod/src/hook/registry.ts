/** HookRegistry: which hooks are asked at each point, and in which order. Filled while the Pod opens, closed before its first run. */
import { type Refusal, YoiError } from "@yoi/base";
import type { HookActions, HookContexts, HookPoint } from "@yoi/feature";

/** In the order in which they are asked: no feature comes before what keeps the user safe. */
export const hookBands = ["host_safety", "feature", "host_accounting"] as const;
export type HookBand = (typeof hookBands)[number];

export interface HookOwner {
  /** `host`, or a feature's id. */
  readonly id: string;
  /** Host policy: its pre-request hooks get an append handle, where there is a log to write to. */
  readonly mayAppend: boolean;
}

/** What a host_safety hook says of a call. */
export type SafetyAction =
  | { readonly action: "continue" }
  /** It also says whether somebody might have allowed the call. */
  | { readonly action: "deny"; readonly message: string; readonly refusal: Refusal }
  /** The user is to decide: after all other hooks, each of which may still refuse. `reason` is who wants it, as the start of a sentence. */
  | { readonly action: "ask"; readonly reason: string };

export interface HostActions extends Omit<HookActions, "pre_tool_call"> {
  readonly pre_tool_call: HookActions["pre_tool_call"] | SafetyAction;
}

/** What is asked at a point. In every band but host_safety a `refusal` is not looked at, and `ask` is no action. */
export type HostHook<P extends HookPoint> = (
  context: HookContexts[P],
) => HostActions[P] | Promise<HostActions[P]>;

/** Which hook it is, for a sentence. */
export interface HookLabel {
  readonly owner: HookOwner;
  readonly name: string;
  readonly point: HookPoint;
}

export interface RegisteredHook<P extends HookPoint> extends HookLabel {
  readonly band: HookBand;
  readonly point: P;
  readonly hook: HostHook<P>;
}

type HooksByPoint = { readonly [P in HookPoint]: RegisteredHook<P>[] };

export class HookRegistry {
  readonly #hooks: HooksByPoint = {
    on_prompt_submit: [],
    pre_llm_request: [],
    pre_tool_call: [],
    post_tool_call: [],
    on_turn_end: [],
    on_abort: [],
  };
  #closed = false;

  /** Throws feature_invalid once the registry is closed. */
  add<P extends HookPoint>(
    band: HookBand,
    owner: HookOwner,
    name: string,
    point: P,
    hook: HostHook<P>,
  ): void {
    if (this.#closed) {
      throw new YoiError(
        "feature_invalid",
        `The hook ${name} (${point}) of ${owner.id} comes too late: hooks are fixed before the first run. Register it during install.`,
      );
    }
    this.#hooks[point].push({ band, owner: { id: owner.id, mayAppend: owner.mayAppend }, name, point, hook });
  }

  close(): void {
    this.#closed = true;
  }

  /** By band, and in a band as they were added. */
  at<P extends HookPoint>(point: P): readonly RegisteredHook<P>[] {
    const hooks: readonly RegisteredHook<P>[] = this.#hooks[point];
    return hookBands.flatMap((band) => hooks.filter((hook) => hook.band === band));
  }
}
