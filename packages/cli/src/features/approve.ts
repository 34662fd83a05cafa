/** Approving a third party's feature: it is read once, that is what the person is shown, and that is what the decision is kept for. */
import { escapeControls, YoiError } from "@yoi/base";
import type { FeatureId } from "@yoi/feature";
import type { ApprovalStore } from "@yoi/keep";
import { describeThirdParty } from "./describe.ts";
import { changesSince } from "./difference.ts";
import type { FoundFeature } from "./found-feature.ts";
import { standingOf } from "./standing.ts";
import { encodeSubject, subjectOf } from "./subject.ts";

export interface ApproveOptions {
  readonly approvals: Pick<ApprovalStore, "get" | "approve">;
  /** Of what was looked at before, in the place of a question; undefined: it is asked. */
  readonly digest: string | undefined;
  /** What is approved, as lines. */
  readonly show: (lines: readonly string[]) => void;
  /** Writes a question and reads a line, null at the end of the input; null: there is nobody to ask. */
  readonly ask: ((question: string) => Promise<string | null>) | null;
}

/**
 * The digest that is approved now. Throws feature_invalid for what cannot be approved, usage where neither a person nor a digest decides,
 * cancelled for a no, and what keeping throws.
 */
export async function approveFeature(
  found: FoundFeature & { readonly id: FeatureId },
  { approvals, digest, show, ask }: ApproveOptions,
): Promise<string> {
  const { id } = found;
  const standing = await standingOf(found, approvals);
  const { content, problem, status, warning } = standing;
  if (content === null)
    throw new YoiError("feature_invalid", `${id} cannot be approved: ${problem ?? "it cannot be read"}.`);
  if (digest !== undefined && digest !== content.digest) {
    throw new YoiError(
      "usage",
      `${id} does not have the digest that was given: it changed since you looked, or the digest is not whole. Look again with \`yoi feature show ${id}\`.`,
    );
  }
  if (status === "approved") return content.digest;
  // What is decided now takes the place of a decision that cannot be read.
  if (warning !== null) show([escapeControls(warning)]);
  show(describeThirdParty(standing, await changesSince(standing)));
  if (digest === undefined) await askFor(id, ask);
  // Of the bytes that were read and shown: whatever the files hold by now is not approved.
  const subject = encodeSubject(subjectOf(content));
  await approvals.approve({ feature: id, digest: content.digest, granted: [], subject });
  return content.digest;
}

async function askFor(id: FeatureId, ask: ApproveOptions["ask"]): Promise<void> {
  if (ask === null) {
    throw new YoiError(
      "usage",
      `There is no terminal to ask at: look at it with \`yoi feature show ${id}\`, and approve it with --digest and the whole digest from there.`,
    );
  }
  const answer = await ask(`Approve ${id} as shown? Type yes: `);
  if (answer?.trim() !== "yes") throw new YoiError("cancelled", `${id} was not approved.`);
}
