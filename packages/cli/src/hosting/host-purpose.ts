/** What the lease of a Pod says of a process that hosts it: clients can attach to that Pod. */

export const hostPurpose = "host";
