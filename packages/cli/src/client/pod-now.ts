/** What a hosted Pod is doing, and with which safeguards, as it says itself. */
import { YoiError } from "@yoi/base";
import type { PodState } from "@yoi/protocol";
import { type Reach, withPod } from "./pod-command.ts";
import { type Safeguards, unusual } from "./unusual.ts";

/** As in JSON. */
export interface PodNow extends Safeguards {
  readonly state: PodState;
  /** Calls that wait for the user. */
  readonly approvals: number;
}

/** Whoever looks does not wait for a process that hangs. */
const answerMs = 1_000;

/** Null: it does not answer. */
export async function podNow(name: string, reach: Reach): Promise<PodNow | null> {
  try {
    const { state, approvals, about } = await withPod(name, { ...reach, answerMs }, (pod) =>
      pod.call("show", {}),
    );
    const { sandbox, network, permission_mode } = about;
    return { state, approvals: approvals.length, sandbox, network, permission_mode };
  } catch (error) {
    if (error instanceof YoiError) return null;
    throw error;
  }
}

/** For a person: what is as usual is left out. */
export function nowText(now: PodNow | null): string {
  if (now === null) return "does not answer";
  const { state, approvals } = now;
  const waiting = approvals === 0 ? [] : [approvals === 1 ? "1 call waits" : `${approvals} calls wait`];
  return [state, ...waiting, ...unusual(now)].join(", ");
}
