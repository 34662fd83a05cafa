/** The only writer of Pod metadata, and the lease. */
export type { HeldLease, Lease, LeaseOwner } from "./lease.ts";
export type { ActivePointer, ClosedHead, PodListing, PodRecord, PodStore, PodUpdate } from "./store.ts";
