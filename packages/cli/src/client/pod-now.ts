/** What a hosted Pod is doing, and with which safeguards, as it says itself. */
import { YoiError } from "@yoi/base";
import type { PodState, PodView } from "@yoi/protocol";
import { type Reach, withPod } from "./pod-command.ts";
import { type Safeguards, unusual } from "./unusual.ts";

/** As in JSON. */
export interface PodNow extends Safeguards {
  readonly state: PodState;
  /** Calls that wait for the user, also those too large to be sent. */
  readonly approvals: number;
}

/** Whoever looks does not wait for a process that hangs. */
const answerMs = 1_000;

/** Null: it does not answer. */
export async function podNow(name: string, reach: Reach): Promise<PodNow | null> {
  try {
    const view = await withPod(name, { ...reach, answerMs }, (pod) => pod.call("show", {}));
    return nowOf(view);
  } catch (error) {
    if (error instanceof YoiError) return null;
    throw error;
  }
}

export function nowOf({ state, approvals, approvals_omitted: omitted = 0, about }: PodView): PodNow {
  const { sandbox, network, permission_mode } = about;
  return { state, approvals: approvals.length + omitted, sandbox, network, permission_mode };
}

/** For a person: what is as usual is left out. */
export function nowText(now: PodNow | null): string {
  if (now === null) return "does not answer";
  const { state, approvals } = now;
  const waiting = approvals === 0 ? [] : [approvals === 1 ? "1 call waits" : `${approvals} calls wait`];
  return [state, ...waiting, ...unusual(now)].join(", ");
}
