/** What the lease of a hosted Pod says that its owner does: clients can attach to it. */
export const hostPurpose = "host";
