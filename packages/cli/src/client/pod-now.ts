/** What a hosted Pod is doing, and with which safeguards, as it says itself. */
import { inParallel, podName, YoiError } from "@yoi/base";
import type { LiveOwner } from "@yoi/pod";
import { hostPurpose } from "@yoi/pod-store";
import type { PodState, PodView } from "@yoi/protocol";
import { reachedBy } from "../hosting/owner-of.ts";
import { type Reach, withPod } from "./pod-command.ts";
import { type PausedNow, pausedText } from "../output/paused-text.ts";
import { type Safeguards, unusual } from "./unusual.ts";

/** As in JSON. */
export interface PodNow extends Safeguards {
  readonly state: PodState;
  /** Calls that wait for the user, also those too large to be sent. */
  readonly approvals: number;
  /** Why, and when it goes on by itself, in ms since the epoch; null: it waits for somebody. Absent: it is not paused. */
  readonly paused?: PausedNow;
  /** Absent: it does not compact. */
  readonly compacting?: true;
}

/** How many Pods are asked at a time. */
export const askedAtOnceMax = 32;

/** Whoever looks does not wait for a process that hangs. */
const answerMs = 1_000;

/** Null: it does not answer. */
export async function podNow(name: string, reach: Reach): Promise<PodNow | null> {
  try {
    // Whoever looks finds it in whichever environment it was started.
    const environment = await reachedBy(podName(name), {
      environment: reach.environment,
      lease: reach.stores.lease,
    });
    const view = await withPod(name, { ...reach, environment, answerMs }, (pod) => pod.call("show", {}));
    return nowOf(view);
  } catch (error) {
    if (error instanceof YoiError) return null;
    throw error;
  }
}

/**
 * Of each that is hosted, by name.
 * @param ask a test's, in place of `podNow`
 */
export async function podsNow(
  pods: readonly (LiveOwner & { readonly name: string })[],
  reach: Reach,
  ask = podNow,
): Promise<ReadonlyMap<string, PodNow | null>> {
  return new Map(
    await inParallel(
      pods.filter(isHosted),
      askedAtOnceMax,
      async ({ name }) => [name, await ask(name, reach)] as const,
    ),
  );
}

/** Whether clients can attach to it. */
export function isHosted({ ownerPurpose }: Pick<LiveOwner, "ownerPurpose">): boolean {
  return ownerPurpose === hostPurpose;
}

export function nowOf(view: PodView): PodNow {
  const { state, approvals, approvals_omitted: omitted = 0, about, paused, compaction } = view;
  const { sandbox, network, permission_mode } = about;
  return {
    state,
    approvals: approvals.length + omitted,
    ...(paused === undefined ? {} : { paused: { reason: paused.reason, until: paused.until ?? null } }),
    ...(compaction === undefined ? {} : { compacting: true }),
    sandbox,
    network,
    permission_mode,
  };
}

/** For a person: what is as usual is left out. */
export function nowText(now: PodNow | null): string {
  if (now === null) return "does not answer";
  const { approvals } = now;
  const waiting = approvals === 0 ? [] : [approvals === 1 ? "1 call waits" : `${approvals} calls wait`];
  return [stateText(now), ...waiting, ...unusual(now)].join(", ");
}

/** What it is doing, in a word or two. */
export function stateText({ state, paused, compacting }: PodNow): string {
  if (compacting === true) return "compacting";
  return paused === undefined ? state : pausedText(paused);
}
