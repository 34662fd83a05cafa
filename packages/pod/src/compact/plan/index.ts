/** What a compaction comes to, as pure functions of history and limits. */
export type { FeatureText } from "./carry-over.ts";
export { compactionIndex } from "./index-of-session.ts";
export type { CompactionLimits } from "./limits.ts";
export { compactionLimits, progressMax } from "./limits.ts";
export type { SizeOf } from "./old-history.ts";
export type { CompactedPlan, CompactionInput, CompactionPlanning } from "./plan-compaction.ts";
export { planCompaction } from "./plan-compaction.ts";
export type { Summary } from "./summary.ts";
