/** What every PodStore and every Lease must do: each suite is a function that an implementation is handed to. */
export type { LeaseParties } from "./lease-conformance.ts";
export { leaseConformance } from "./lease-conformance.ts";
export { kinConformance } from "./kin-conformance.ts";
export type { PodStoreParts } from "./store-conformance.ts";
export { podStoreConformance } from "./store-conformance.ts";
