/** A child by its name: from its parent's metadata; and one that is not among the last of those any more, from its own. */
import { type Loan, type PodName, podName, YoiError } from "@yoi/base";
import { parseManifest } from "@yoi/manifest";
import type { PodRecord, PodStore, ReclaimedChild } from "@yoi/pod-store";
import { isChildOf, type PodRef, refOf } from "./same-pod.ts";

/** A child whose loan came back. */
export type FormerChild = Pick<ReclaimedChild, "name" | "session" | "reason"> & {
  readonly loan: Pick<Loan, "scope">;
};

type Own = Pick<PodRecord, "name" | "pointer" | "children" | "reclaimed">;

/** Throws child_unknown, and what reading metadata throws. */
export async function childNamed(
  pods: Pick<PodStore, "read" | "pathOf">,
  own: Own,
  name: string,
): Promise<PodRef> {
  const child = own.children.find((one) => one.name === name) ?? (await formerChild(pods, own, name));
  if (child === null) throw noChild(own.name, name);
  return child;
}

/** Null: there was none. Of many, metadata keeps the last ones only; each of them says itself whose it is. */
export async function formerChild(
  pods: Pick<PodStore, "read" | "pathOf">,
  own: Pick<Own, "name" | "pointer" | "reclaimed">,
  name: string,
): Promise<FormerChild | null> {
  const kept = own.reclaimed.find((one) => one.name === name);
  if (kept !== undefined) return kept;
  const key = podName(name);
  const record = await pods.read(key);
  if (record === null || !isChildOf(record, refOf(own))) return null;
  const { scope } = parseManifest(record.manifest, pods.pathOf(key));
  return { name: key, session: record.pointer.session, reason: "stopped", loan: { scope } };
}

export function noChild(self: PodName, name: string): YoiError {
  return new YoiError(
    "child_unknown",
    `The Pod ${self} has no child named ${name}: ListPods shows those it has.`,
  );
}
