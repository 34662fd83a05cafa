/** Where a third party's feature stands: what is there now, beside what the user approved. */
import type { ApprovalRecord, ApprovalStore } from "@yoi/keep";
import { YoiError } from "@yoi/base";
import type { FeatureContent } from "./content.ts";
import type { FoundFeature } from "./found-feature.ts";

/** unusable: as it is, nobody can approve it. What was revoked is not approved. */
export const standingTexts = {
  not_approved: "not approved",
  approved: "approved, not run by this version",
  changed: "changed since it was approved",
  unusable: "cannot be approved",
} as const;
export type StandingStatus = keyof typeof standingTexts;

export interface Standing {
  readonly found: FoundFeature;
  readonly status: StandingStatus;
  /** Null exactly where there is a problem. */
  readonly content: FeatureContent | null;
  /** A clause: why nobody can approve it. */
  readonly problem: string | null;
  readonly approval: ApprovalRecord | null;
  /** A sentence: why what was decided cannot be read, so that it counts as not approved; null: it can. */
  readonly warning: string | null;
}

export async function standingOf(
  found: FoundFeature,
  approvals: Pick<ApprovalStore, "get">,
): Promise<Standing> {
  const decided = await decidedAbout(found, approvals);
  if (found.problem !== null)
    return { found, status: "unusable", content: null, problem: found.problem, ...decided };
  try {
    const content = await found.read();
    return { found, status: statusOf(content, decided.approval), content, problem: null, ...decided };
  } catch (error) {
    if (!(error instanceof YoiError) || error.code !== "feature_invalid") throw error;
    return { found, status: "unusable", content: null, problem: error.message, ...decided };
  }
}

async function decidedAbout(
  { id }: FoundFeature,
  approvals: Pick<ApprovalStore, "get">,
): Promise<Pick<Standing, "approval" | "warning">> {
  try {
    return { approval: id === null ? null : await approvals.get(id), warning: null };
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    return { approval: null, warning: error.message };
  }
}

function statusOf({ digest }: FeatureContent, approval: ApprovalRecord | null): StandingStatus {
  if (approval === null) return "not_approved";
  return approval.digest === digest ? "approved" : "changed";
}
