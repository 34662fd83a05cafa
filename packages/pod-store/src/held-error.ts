/** The one sentence for a Pod that somebody else holds. */
import { escapeControls, YoiError, type PodName } from "@yoi/base";
import type { LeaseOwner } from "./lease.ts";

export function heldError(
  name: PodName,
  owner: LeaseOwner | null,
  why: "alive" | "unknown" | "self",
): YoiError {
  return new YoiError("pod_held", sentence(name, owner, why));
}

function sentence(name: PodName, owner: LeaseOwner | null, why: "alive" | "unknown" | "self"): string {
  if (owner === null || why === "unknown") {
    return `The Pod ${name} is locked by a process that did not say who it is: try again, or use another Pod name.`;
  }
  const since = sinceText(owner.sinceMs);
  const purpose = escapeControls(owner.purpose);
  if (why === "self") {
    return `The Pod ${name} is already held by this process (pid ${owner.pid}, since ${since}, for ${purpose}): release it first.`;
  }
  return `The Pod ${name} is held by process ${owner.pid} (since ${since}, for ${purpose}): wait until it ends, end it with \`kill ${owner.pid}\`, or use another Pod name.`;
}

function sinceText(sinceMs: number): string {
  const date = new Date(sinceMs);
  return Number.isNaN(date.getTime()) ? "an unknown time" : date.toISOString();
}
