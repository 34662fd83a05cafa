/** What older formats had: folders by state, and front matter that a ticket has no more because its folder or its thread says it. */

/** Kept under `legacy:` where a ticket comes in from an old layout; in a ticket itself doctor says that it means nothing. */
export const obsoleteFields: readonly string[] = [
  "id",
  "slug",
  "status",
  "workflow_state",
  "action_required",
  "attention_required",
  "needs_preflight",
  "legacy_ticket",
];

/** Under which what came in from elsewhere says from where. */
export const legacyField = "legacy";

/** Folders of the old layout, each with the tickets of one status in it. */
export const oldBuckets = ["open", "pending", "closed"] as const;
export type OldBucket = (typeof oldBuckets)[number];
