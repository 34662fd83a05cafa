/** Messages to other Pods: an input of its own to a child, a notice in this Pod's name to a peer. Each comes in once. */
import { type PodName, podName, YoiError } from "@yoi/base";
import type { ManagementCall } from "@yoi/feature";
import type { ChildHost } from "./child-host.ts";
import type { Lender } from "./lender.ts";

/** Calls are numbered anew in each segment. */
export function submissionOf(
  { segment }: Pick<Lender, "segment">,
  what: string,
  { call }: Pick<ManagementCall, "call">,
): string {
  return `${what}/${segment()}/${call}`;
}

/** An input of its own; resolves when it is durable there. Throws already_running, pod_unreachable. */
export async function submitTo(
  host: ChildHost,
  name: PodName,
  text: string,
  submission: string,
): Promise<void> {
  const pod = await host.reach(name, "user");
  try {
    await pod.call("submit", { parts: [{ type: "text", text }], submission });
  } finally {
    pod.close();
  }
}

/** Throws child_unknown where it is no peer. */
export function peerOf({ name: self, record }: Pick<Lender, "name" | "record">, name: string): PodName {
  const peer = podName(name);
  if (record.current.peers.includes(peer)) return peer;
  throw new YoiError(
    "child_unknown",
    `The Pod ${name} is no peer of ${self}: the user makes it one with \`yoi pod peer ${self} ${name}\`.`,
  );
}

/** Resolves when it is durable there. Throws inbox_full, pod_unreachable. */
export async function notifyPeer(
  lender: Pick<Lender, "name" | "segment">,
  host: ChildHost,
  peer: PodName,
  message: string,
  call: ManagementCall,
): Promise<void> {
  const pod = await host.reach(peer, "peer");
  try {
    await pod.call("notify", {
      message: `From the Pod ${lender.name}: ${message}`,
      // A peer may have several that send, and their calls are numbered alike.
      submission: submissionOf(lender, `peer/${lender.name}`, call),
    });
  } finally {
    pod.close();
  }
}
