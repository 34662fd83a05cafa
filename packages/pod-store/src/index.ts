/**
 * The only writer of Pod metadata, and the lease.
 *
 * Metadata says what a Pod's name refers to now; the session log says what happened. The two are apart because a name outlives what it refers to: compaction,
 * fork and rewind give it another segment, and a log is whole without any name. So metadata points at session ids, never repeats what a log says, and is no
 * part of a session's directory.
 *
 * What is authority for what:
 * - The pointer is, for which log the name refers to; the log for its history, configuration, prompt and usage.
 * - The manifest snapshot is, for a restore by name: not today's profile or configuration. A replay of a segment goes by the `segment_start` of the log.
 * - `children` is, for which loans are open: what a parent holds is its manifest's scope less these, and what a child holds is its loan. No log and no
 *   registry says so; the registry of allocations mirrors it, and can be deleted and made again from it.
 * - `reclaimed` is the history of loans that came back. What the model was told of a child is in the log.
 * - `parent`, of a child, says whom to ask for its loan; whether there is one, its parent's `children` says.
 * - `peers` is, for whom the Pod may see and notify: only where each of the two names the other, by its session. It grants no scope.
 * - The lease is, for who owns the Pod. `socket` and `callback` of a child, and the owner file beside a lock, are last-known hints: a path that answers nobody
 *   is no sign that a Pod is gone, one that answers is no proof of who does, and no record is dropped for either.
 */
export type { PodStoreOptions } from "./file-store.ts";
export { createPodStore } from "./file-store.ts";
export { holderSentence } from "./held-error.ts";
export type { HeldLease, Lease, LeaseOwner } from "./lease.ts";
export { hostPurpose, isTheOneThatRuns, type RunnerPurpose, runPurpose } from "./lease.ts";
export type { LeaseTable, MemoryLeaseOptions } from "./memory-lease.ts";
export { createMemoryLease } from "./memory-lease.ts";
export { metadataBytesMax, metadataSchema, withoutToken } from "./record-codec.ts";
export type { SqliteLeaseOptions } from "./sqlite-lease.ts";
export { acquireBoundMs, createSqliteLease, hintSuffix, leaseLockPath } from "./sqlite-lease.ts";
export { isHeldError, tryAcquire } from "./try-acquire.ts";
export { childrenMax, peersMax, reclaimedMax } from "./kin.ts";
export type {
  ActivePointer,
  ChildRecord,
  ClosedHead,
  Expected,
  NewPod,
  ParentLink,
  PeerLink,
  PodListing,
  PodRecord,
  PodStore,
  PodUpdate,
  ReclaimedChild,
  OwedTask,
  ReclaimReason,
  UnreadablePod,
} from "./store.ts";
