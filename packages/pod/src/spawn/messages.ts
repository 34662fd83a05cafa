/** Messages to other Pods: an input of its own to a child, a notice in this Pod's name to a peer. Each comes in once. */
import { type PodName, podName, YoiError } from "@yoi/base";
import type { ManagementCall } from "@yoi/feature";
import type { PeerLink } from "@yoi/pod-store";
import type { ChildHost } from "./child-host.ts";
import type { Lender } from "./lender.ts";
import { whyNoPeer } from "./peers.ts";

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
export function peerOf({ name: self, record }: Pick<Lender, "name" | "record">, name: string): PeerLink {
  const peer = podName(name);
  const link = record.current.peers.find((other) => other.name === peer);
  if (link !== undefined) return link;
  throw new YoiError(
    "child_unknown",
    `The Pod ${name} is no peer of ${self}: the user makes it one with \`yoi pod peer ${self} ${name}\`.`,
  );
}

/** Throws child_unknown where the two are peers no longer, metadata_damaged where that is not known. */
async function assertPeers(
  { name: self, record, pods }: Pick<Lender, "name" | "record" | "pods">,
  link: PeerLink,
): Promise<void> {
  const why = whyNoPeer(record.current, link, await pods.read(link.name));
  if (why === null) return;
  throw new YoiError(
    "child_unknown",
    `The Pod ${self} and its peer ${link.name} are peers no longer, because ${why}: the user makes two Pods peers with \`yoi pod peer ${self} ${link.name}\`.`,
  );
}

/** Resolves when it is durable there. Throws inbox_full, pod_unreachable, and child_unknown where the two are peers no longer. */
export async function notifyPeer(
  lender: Pick<Lender, "name" | "record" | "pods" | "segment">,
  host: ChildHost,
  peer: PeerLink,
  message: string,
  call: ManagementCall,
): Promise<void> {
  await assertPeers(lender, peer);
  const pod = await host.reach(peer.name, "peer");
  try {
    // Now that it is known who was reached: the name may have been given anew just before.
    await assertPeers(lender, peer);
    await pod.call("notify", {
      message: `From the Pod ${lender.name}: ${message}`,
      // A peer may have several that send, and their calls are numbered alike.
      submission: submissionOf(lender, `peer/${lender.name}`, call),
    });
  } finally {
    pod.close();
  }
}
