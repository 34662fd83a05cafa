/** What every store of approvals and of feature state must do: each suite is a function that an implementation is handed to. */
export type { ApprovalStoreParts } from "./approval-store.ts";
export { approvalStoreConformance } from "./approval-store.ts";
export type { FeatureStateParts } from "./feature-state.ts";
export { featureStateConformance } from "./feature-state.ts";
