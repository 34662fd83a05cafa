/** What a child is lent now: read from the metadata of those above it, under the child's own lease. */
import { type Loan, type PodName, YoiError } from "@yoi/base";
import type { PodRecord, PodStore } from "@yoi/pod-store";
import { isMeant, knownAs } from "./same-pod.ts";

export interface Lent {
  readonly lender: PodName;
  readonly loan: Loan;
  /** The Pods above it, as they are on record now; the last is the lender. */
  readonly above: readonly PodRecord[];
}

/**
 * Null: nobody lends it anything, because it has no parent, or none that still exists: then its stored scope is its own. Throws loan_missing where its loan, or
 * that of one above it, came back, and what reading their metadata throws.
 */
export async function lentTo(record: PodRecord, pods: Pick<PodStore, "read">): Promise<Lent | null> {
  const parent = await parentOf(record, pods);
  if (parent === null) return null;
  const lent = loanOf(record, parent, record.name);
  // What is lent on is lent only as long as the whole of it is.
  const seen = new Set<PodName>([record.name]);
  const nearest: PodRecord[] = [];
  let below = parent;
  while (!seen.has(below.name)) {
    seen.add(below.name);
    nearest.push(below);
    const above = await parentOf(below, pods);
    if (above === null) break;
    loanOf(below, above, record.name);
    below = above;
  }
  return { lender: parent.name, loan: lent, above: nearest.toReversed() };
}

async function parentOf(
  { parent: link }: PodRecord,
  pods: Pick<PodStore, "read">,
): Promise<PodRecord | null> {
  if (link === null) return null;
  const parent = await pods.read(link.pod);
  return isMeant(parent, link) ? parent : null;
}

function loanOf(child: PodRecord, parent: PodRecord, opened: PodName): Loan {
  const found = knownAs(parent.children, child);
  if (found !== undefined) return found.loan;
  const what =
    child.name === opened
      ? `The Pod ${opened} is a child of ${parent.name}, which has taken its loan back`
      : `The Pod ${opened} works on what ${parent.name} had lent to ${child.name}, and that loan came back`;
  throw new YoiError(
    "loan_missing",
    `${what}: while ${parent.name} is live, \`yoi pod restore ${child.name}\` asks it for the loan, and so does its tool RestorePod.`,
  );
}
