/** Asking hooks: one after the other, each for a limited time and no longer than the run goes on, until one says something else than "go on". */
import { messageOf, type Timers } from "@yoi/base";
import type { HookContexts, HookPoint } from "@yoi/feature";
import { readAction } from "./action.ts";
import type { HookLabel, HostActions, RegisteredHook } from "./registry.ts";
import { boundedText, type BoundedTextOptions } from "./said.ts";

/** How long one hook may take. */
export const hookTimeoutMs = 5_000;

type GoesOn = { readonly action: "continue" | "finish" | "observed" };
/** An action that ends the asking; `ask` ends it when all others were asked. */
export type Standing<P extends HookPoint> = Exclude<HostActions[P], GoesOn>;

export type Asked<P extends HookPoint> =
  /** Null: all went on. */
  | { readonly cancelled: false; readonly standing: Standing<P> | null }
  /** The signal aborted, before or while this hook was asked. */
  | { readonly cancelled: true; readonly hook: HookLabel };

export interface AskOptions<P extends HookPoint> {
  readonly hooks: readonly RegisteredHook<P>[];
  /** Frozen. */
  readonly contextFor: (hook: RegisteredHook<P>) => HookContexts[P];
  readonly signal: AbortSignal;
  readonly timers: Pick<Timers, "after">;
  readonly redact: (text: string) => string;
  /** What stands in for a hook that failed; null goes on with the next. */
  readonly failed: (hook: HookLabel, reason: string) => HostActions[P] | null;
}

/** Never rejects. */
export async function askHooks<P extends HookPoint>(options: AskOptions<P>): Promise<Asked<P>> {
  const { hooks, signal } = options;
  let ask: Standing<P> | null = null;
  for (const hook of hooks) {
    if (signal.aborted) return { cancelled: true, hook };
    const called = call(hook, options.contextFor(hook));
    // No timer and no turn of the event loop for a hook that has answered already.
    const answer = "pending" in called ? await settled(called.pending, options) : called;
    if ("cancelled" in answer) return { cancelled: true, hook };
    const isSafety = hook.band === "host_safety";
    const read = "given" in answer ? readAction(hook.point, answer.given, { isSafety }) : answer;
    const action =
      "problem" in read
        ? options.failed(hook, failure(hook, boundedText(read.problem, options)))
        : shown(hook, read.action, options);
    if (action === null || !isStanding<P>(action)) continue;
    // The user is not asked for what another hook refuses anyway.
    if (action.action === "ask") ask ??= action;
    else return { cancelled: false, standing: action };
  }
  return { cancelled: false, standing: ask };
}

type Answer = { readonly given: unknown } | { readonly problem: string };

function call<P extends HookPoint>(
  { hook }: RegisteredHook<P>,
  context: HookContexts[P],
): Answer | { readonly pending: PromiseLike<unknown> } {
  try {
    const given: unknown = hook(context);
    return isThenable(given) ? { pending: given } : { given };
  } catch (thrown) {
    return { problem: messageOf(thrown) };
  }
}

function isThenable(given: unknown): given is PromiseLike<unknown> {
  return typeof given === "object" && given !== null && "then" in given && typeof given.then === "function";
}

/** Leaves no timer and no listener behind, whatever becomes of the promise. */
function settled(
  pending: PromiseLike<unknown>,
  { signal, timers }: Pick<AskOptions<HookPoint>, "signal" | "timers">,
): Promise<Answer | { readonly cancelled: true }> {
  return new Promise((resolve) => {
    const end = (answer: Answer | { readonly cancelled: true }) => {
      cancelTimer();
      signal.removeEventListener("abort", stop);
      resolve(answer);
    };
    const stop = () => end({ cancelled: true });
    const cancelTimer = timers.after(hookTimeoutMs, () =>
      end({ problem: `it did not answer within ${hookTimeoutMs / 1000} s` }),
    );
    signal.addEventListener("abort", stop, { once: true });
    // The hook may have ended the run itself before it gave its promise.
    if (signal.aborted) stop();
    awaited(pending).then(
      (given) => end({ given }),
      (thrown: unknown) => end({ problem: messageOf(thrown) }),
    );
  });
}

/** What throws when it is waited for rejects. */
async function awaited(pending: PromiseLike<unknown>): Promise<unknown> {
  return pending;
}

/** The start of a sentence that goes on: errors of yoi are whole ones. */
function failure({ name, point, owner }: HookLabel, problem: string): string {
  return `the hook ${name} (${point}) of ${owner.id} failed: ${problem.replace(/\.$/, "")}`;
}

/** What a host_safety hook says is the host's own; all else is bounded, and says whose it is. */
function shown<P extends HookPoint>(
  hook: RegisteredHook<P>,
  action: HostActions[P],
  text: BoundedTextOptions,
): HostActions[P] {
  if (hook.band === "host_safety") return action;
  const said = (given: string) => boundedText(`${hook.owner.id} (${hook.name}): ${given}`, text);
  if ("reason" in action) return { ...action, reason: said(action.reason) };
  if ("message" in action) return { ...action, message: said(action.message), refusal: "denied" };
  return action;
}

function isStanding<P extends HookPoint>(action: HostActions[P]): action is Standing<P> {
  switch (action.action) {
    case "continue":
    case "finish":
    case "observed":
      return false;
    case "cancel":
    case "yield":
    case "deny":
    case "abort":
    case "pause":
    case "ask":
      return true;
  }
}
