/** What `yoi` without a command opens: the Pod that was named, the one of this directory, the list where it could be several, or a new one. */
import { podName, YoiError } from "@yoi/base";
import { listPods, type PodSummary } from "@yoi/pod";
import type { UiOpen } from "@yoi/tui";
import { isHosted, type PodNow, podsNow } from "../client/pod-now.ts";
import type { Reach } from "../client/pod-command.ts";
import { choosePod, lastOwn, podsOf } from "./choose-pod.ts";

export interface OpenWish {
  readonly pod?: string;
  readonly continue?: boolean;
  /** True: without a name. */
  readonly resume?: string | true;
  readonly cd?: string;
  /** Null: none was typed. */
  readonly prompt: string | null;
  /** Flags say how a Pod is started: without a name, that is a new one. */
  readonly startsAnew: boolean;
}

/** Throws usage, nothing_to_resume. */
export async function chooseOpen(wish: OpenWish, workspace: string, reach: Reach): Promise<UiOpen> {
  const { prompt } = wish;
  if (wish.resume === true) {
    if (prompt !== null)
      throw new YoiError(
        "usage",
        "-r without a name shows the Pods: leave the prompt out, or name one: `yoi -r NAME PROMPT`.",
      );
    return { kind: "picker" };
  }
  if (wish.pod !== undefined) {
    const name = podName(wish.pod);
    return (await isKept(name, reach))
      ? { kind: "pod", name, restores: true, prompt }
      : { kind: "new", name, choices: {}, prompt };
  }
  if (typeof wish.resume === "string" || wish.continue === true) {
    const { environment, stores } = reach;
    const never = new AbortController().signal;
    const name = await choosePod(wish, environment, stores, never);
    if (name !== null) return { kind: "pod", name, restores: true, prompt };
  }
  if (prompt !== null || wish.startsAnew) return { kind: "new", name: null, choices: {}, prompt };
  const pods = podsOf(workspace, await listPods(reach.stores));
  return openOf(pods, await podsNow(pods.filter(isHosted), reach));
}

async function isKept(name: ReturnType<typeof podName>, { stores }: Reach): Promise<boolean> {
  return (await stores.pods.read(name)) !== null;
}

/**
 * A Pod that waits for its user, else one that lives, else the one that was used last; where there are several of the first kind that there is, the list.
 * Children work for their parents, and are opened from there.
 * @param pods of the directory, last used first
 */
export function openOf(pods: readonly PodSummary[], now: ReadonlyMap<string, PodNow | null>): UiOpen {
  const own = pods.filter((pod) => lastOwn([pod]) !== undefined);
  const live = own.filter(isHosted);
  const waiting = live.filter(({ name }) => (now.get(name)?.approvals ?? 0) > 0);
  const candidates = waiting.length > 0 ? waiting : live;
  if (candidates.length > 1) return { kind: "picker" };
  const [only] = candidates.length === 1 ? candidates : own;
  return only === undefined
    ? { kind: "new", name: null, choices: {}, prompt: null }
    : { kind: "pod", name: only.name, restores: true, prompt: null };
}
