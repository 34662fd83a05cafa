/** What a Pod does now: nobody's is stopped, and one that is hosted says it itself, in time or not at all. */
import { type PodName, type Timers, YoiError } from "@yoi/base";
import type { ManagedPod } from "@yoi/feature";
import { hostPurpose, type Lease } from "@yoi/pod-store";

/** What a hosted Pod says of itself. */
export type LiveState = Pick<ManagedPod, "approvals"> & {
  readonly state: Exclude<ManagedPod["state"], "stopped" | "unknown">;
};

export interface LiveStatePorts {
  readonly lease: Pick<Lease, "owner">;
  readonly timers: Pick<Timers, "after">;
  /** Asks a hosted Pod; null, or a YoiError: it does not answer. A signal that aborts: its answer is not waited for any more. */
  readonly probe: (name: PodName, signal: AbortSignal) => Promise<LiveState | null>;
}

/** As it is known from outside. */
export type SeenState = Pick<ManagedPod, "state" | "approvals"> & {
  /** The runtime directory of the process that has it; null: nobody has it, or it did not say. */
  readonly runtime: string | null;
};

export const nobodyHasIt: SeenState = Object.freeze({ state: "stopped", approvals: 0, runtime: null });

/** For all answers together: a Pod that has not answered by then is `unknown`. */
export const probesMs = 1_000;

/** Work that asks Pods: its signal aborts when their time is over, and when it has ended. */
export async function probing<T>(
  timers: LiveStatePorts["timers"],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const cancel = timers.after(probesMs, () => controller.abort());
  try {
    return await work(controller.signal);
  } finally {
    cancel();
    controller.abort();
  }
}

/** Of whoever has the name: that it is the Pod which is meant, the caller has looked. */
export async function stateOf(
  name: PodName,
  { lease, probe }: Pick<LiveStatePorts, "lease" | "probe">,
  signal: AbortSignal,
): Promise<SeenState> {
  const hint = await lease.owner(name);
  if (hint?.alive !== true) return nobodyHasIt;
  const { purpose, runtime } = hint.owner;
  const unknown = { state: "unknown", approvals: 0, runtime } as const;
  if (purpose !== hostPurpose || signal.aborted) return unknown;
  const { promise, resolve } = Promise.withResolvers<null>();
  const giveUp = (): void => resolve(null);
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    const said = await Promise.race([probe(name, signal), promise]);
    return said === null ? unknown : { ...said, runtime };
  } catch (error) {
    if (error instanceof YoiError) return unknown;
    throw error;
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
