/** The only writer of Pod metadata, and the lease. */
export type { PodStoreOptions } from "./file-store.ts";
export { createPodStore } from "./file-store.ts";
export { holderSentence } from "./held-error.ts";
export type { HeldLease, Lease, LeaseOwner } from "./lease.ts";
export { hostPurpose } from "./lease.ts";
export type { LeaseTable, MemoryLeaseOptions } from "./memory-lease.ts";
export { createMemoryLease } from "./memory-lease.ts";
export { metadataBytesMax, metadataSchema } from "./record-codec.ts";
export type { SqliteLeaseOptions } from "./sqlite-lease.ts";
export { acquireBoundMs, createSqliteLease, leaseLockPath } from "./sqlite-lease.ts";
export { childrenMax, peersMax, reclaimedMax } from "./kin.ts";
export { reclaimReasons } from "./store.ts";
export type {
  ActivePointer,
  ChildRecord,
  ClosedHead,
  Expected,
  NewPod,
  ParentLink,
  PodListing,
  PodRecord,
  PodStore,
  PodUpdate,
  ReclaimedChild,
  ReclaimReason,
  UnreadablePod,
} from "./store.ts";
