/** Whether a peer is one still: a name may be given anew, and either side may have taken the other away. Pure. */
import type { PeerLink, PodRecord } from "@yoi/pod-store";
import { isMeant, knownAs } from "./same-pod.ts";

/** What keeps it from being one, as the end of a sentence; null: nothing. @param found what has the peer's name now */
export function whyNoPeer(self: PodRecord, link: PeerLink, found: PodRecord | null): string | null {
  const { name } = link;
  if (found === null) return `there is no Pod named ${name} any more`;
  if (!isMeant(found, link)) return `another Pod has the name ${name} now`;
  return knownAs(found.peers, self) !== undefined ? null : `${name} does not have ${self.name} as its peer`;
}
