/** A child that outlived a parent with more: what it runs with is more than that Pod may now, and only a new start binds it. */
import { type PodName, YoiError } from "@yoi/base";
import { isLooser, parseManifest } from "@yoi/manifest";
import type { ChildRecord } from "@yoi/pod-store";
import type { Lender } from "./lender.ts";
import { isMeant } from "./same-pod.ts";

type Binding = Pick<Lender, "name" | "pods" | "manifest">;

/** By what it was opened with last. Throws metadata_damaged. */
export async function isLooserChild(
  { name: pod, pods, manifest }: Binding,
  child: Pick<ChildRecord, "name" | "session">,
): Promise<boolean> {
  const stored = await pods.read(child.name);
  if (!isMeant(stored, child)) return false;
  return isLooser(parseManifest(stored.manifest, pods.pathOf(child.name)), { pod, manifest });
}

/** Throws loan_refused: it gets no work from a Pod that may do less. */
export async function assertBound(
  lender: Binding,
  child: Pick<ChildRecord, "name" | "session">,
): Promise<void> {
  if (!(await isLooserChild(lender, child))) return;
  throw new YoiError(
    "loan_refused",
    `The child ${child.name} ${began(lender.name)}, so it gets no work from it: StopPod and then RestorePod start it again, bound anew. Until then ReadPodOutput still shows what it said.`,
  );
}

/** For the user. */
export function looserSentence(child: PodName, lender: PodName): string {
  return `The child ${child} lives and ${began(lender)}; ${lender} gives it no work. \`yoi pod stop ${child}\` and then \`yoi pod restore ${child}\` start it again, bound by what ${lender} may do now.`;
}

function began(lender: PodName): string {
  return `began with more than ${lender} may do now (its permissions, sandbox, network, web or limits)`;
}
