/** Who holds a Pod, as the one sentence that says it, with what can be done. */
import { basename, dirname } from "node:path";
import { escapeControls, YoiError, type PodName } from "@yoi/base";
import { hostPurpose, isTheOneThatRuns, type LeaseOwner } from "./lease.ts";

/** @param runtime that of the environment in which this is said; null: it is not known. */
export function heldByOther(name: PodName, owner: LeaseOwner, runtime: string | null): YoiError {
  return new YoiError("pod_held", holderSentence(name, owner, runtime));
}

export function heldBySelf(name: PodName, { pid, sinceMs, purpose }: LeaseOwner): YoiError {
  return new YoiError(
    "pod_held",
    `The Pod ${name} is already held by this process (pid ${pid}, since ${sinceText(sinceMs)}, for ${escapeControls(purpose)}): release it first.`,
  );
}

export function heldByUnknown(name: PodName): YoiError {
  return new YoiError(
    "pod_held",
    `The Pod ${name} is locked by a process that did not say who it is: try again, or use another Pod name.`,
  );
}

/** Of a living owner. @param runtime that of the environment in which this is said; null: it is not known. */
export function holderSentence(name: PodName, owner: LeaseOwner, runtime: string | null): string {
  const { pid, purpose } = owner;
  const since = sinceText(owner.sinceMs);
  // It may be the Pod's parent, which nobody wants to end for this.
  if (!isTheOneThatRuns(owner))
    return `The Pod ${name} is held by process ${pid} (since ${since}, for ${escapeControls(purpose)}), which begins, ends or removes it and is not the Pod itself: try again when that is done, or use another Pod name.`;
  if (purpose !== hostPurpose)
    return `The Pod ${name} is held by process ${pid} (since ${since}, for ${escapeControls(purpose)}): wait until it ends, end it with \`kill ${pid}\`, take the Pod over with \`yoi pod restore ${name} --take-over\`, or use another Pod name.`;
  const head = `The Pod ${name} is hosted by process ${pid} (since ${since})`;
  if (owner.runtime !== null && runtime !== null && owner.runtime !== runtime)
    return `${head} in another environment than this one: it was started ${environmentOf(owner.runtime)}, use the same.`;
  return `${head}: \`yoi attach ${name}\` shows it, \`yoi pod stop ${name}\` ends it.`;
}

/** As the directories of an environment are named: `$XDG_RUNTIME_DIR/yoi`, or `run` in the data directory. */
function environmentOf(runtime: string): string {
  return basename(runtime) === "yoi"
    ? `with XDG_RUNTIME_DIR=${escapeControls(dirname(runtime))}`
    : `without XDG_RUNTIME_DIR (its runtime directory is ${escapeControls(runtime)})`;
}

function sinceText(sinceMs: number): string {
  const date = new Date(sinceMs);
  return Number.isNaN(date.getTime()) ? "an unknown time" : date.toISOString();
}
