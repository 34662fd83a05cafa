/** Front matter of older formats: what a ticket has no more, because its folder or its thread says it. */

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
