/** Arriving: a request whose answer arrives now has no unknown cost: it has none yet. The log of a Pod that runs counts it as one that nobody counted. */
import type { SessionState } from "@yoi/session-store";

/** What is used, without the request that is on its way. Where no process owns the Pod none is: that one died. */
export function withoutArriving<T extends { readonly unpriced_requests: number }>(
  used: T,
  { run, isUncounted }: Pick<SessionState, "run" | "isUncounted">,
  isOwned: boolean,
): T {
  const arrives = isOwned && run.state === "running" && isUncounted;
  return arrives ? { ...used, unpriced_requests: used.unpriced_requests - 1 } : used;
}
