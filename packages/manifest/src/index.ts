/** Profiles, overrides and defaults resolved into one serialisable contract for a Pod. */
export type { Manifest, ModelChoice, PermissionAction, PermissionMode, PermissionRule } from "./manifest.ts";
export { manifestSchema } from "./manifest.ts";
