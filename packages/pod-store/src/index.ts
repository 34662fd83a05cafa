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
export { acquireBoundMs, createSqliteLease } from "./sqlite-lease.ts";
export type {
  ActivePointer,
  ClosedHead,
  NewPod,
  PodListing,
  PodRecord,
  PodStore,
  PodUpdate,
  UnreadablePod,
} from "./store.ts";
