/** Holding a child and all below it: whoever has their leases knows that none of them writes. */
import { type Loan, type PodName, podName, YoiError } from "@yoi/base";
import type { HeldLease, PodRecord } from "@yoi/pod-store";
import type { Lender } from "./lender.ts";
import { isChildOf, isMeant, type PodRef } from "./same-pod.ts";

export interface TreePod extends PodRef {
  /** By which it holds what it holds; absent where only its own metadata says whose child it is. */
  readonly loan?: Loan;
}

/** What is stored of it. `gone`: nothing, or another Pod has its name. */
export type Found =
  | { readonly state: "readable"; readonly record: PodRecord }
  | { readonly state: "gone" }
  | { readonly state: "damaged"; readonly error: YoiError };

export interface HeldTree {
  readonly found: Found;
  /** All that are held, a Pod behind everything below it. */
  readonly names: readonly PodName[];
  /** Those of them whose process was killed for it. */
  readonly killed: readonly PodName[];
}

export interface Taken {
  readonly lease: HeldLease;
  readonly wasKilled: boolean;
}

/** How a lease is taken; `isStored`: of a Pod whose metadata says that it is meant. Throws pod_held where somebody keeps it. */
export type Take = (name: PodName, isStored: boolean) => Promise<Taken>;

/** Takes the leases from the top down, so that nobody there can begin another child meanwhile. Where one is not to be had, what `take` threw is thrown. */
export async function holdTree(
  lender: Pick<Lender, "pods" | "registry" | "name">,
  top: TreePod,
  take: Take,
  held: AsyncDisposableStack,
): Promise<HeldTree> {
  const seen = new Set<PodName>([lender.name]);
  const hold = async (pod: TreePod): Promise<HeldTree> => {
    if (seen.has(pod.name)) return { found: { state: "gone" }, names: [], killed: [] };
    seen.add(pod.name);
    const before = await find(lender, pod);
    // Whoever has the name now is another Pod: the one that is meant was removed, under its lease. Or its metadata was replaced under it.
    if (
      before.state === "gone" &&
      (await lender.pods.read(pod.name)) !== null &&
      !(await hasRow(lender, pod))
    )
      return { found: before, names: [], killed: [] };
    const { lease, wasKilled } = await take(pod.name, before.state !== "gone");
    held.defer(() => lease.release());
    const found = await find(lender, pod);
    const below = await Promise.allSettled((await childrenOf(lender, pod, found)).map(hold));
    const names: PodName[] = [];
    const killed: PodName[] = wasKilled ? [pod.name] : [];
    for (const one of below) {
      if (one.status === "rejected") throw one.reason;
      names.push(...one.value.names);
      killed.push(...one.value.killed);
    }
    return { found, names: [...names, pod.name], killed };
  };
  return hold(top);
}

/** Under its lease, or as a first look. */
export async function find({ pods }: Pick<Lender, "pods">, pod: PodRef): Promise<Found> {
  try {
    const record = await pods.read(pod.name);
    return isMeant(record, pod) ? { state: "readable", record } : { state: "gone" };
  } catch (error) {
    if (error instanceof YoiError && (error.kind === "corrupt" || error.code === "schema_newer"))
      return { state: "damaged", error };
    throw error;
  }
}

/** Its loan is mirrored under its name. */
async function hasRow({ registry }: Pick<Lender, "registry">, { name, loan }: TreePod): Promise<boolean> {
  if (loan === undefined) return false;
  return (await registry.list()).some((row) => row.name === name && row.loan === loan.id);
}

/** Those that it lends to, and those that say that it is their parent where it does not know of them: its metadata may be damaged, or an older copy. */
async function childrenOf(
  { pods }: Pick<Lender, "pods">,
  pod: PodRef,
  found: Found,
): Promise<readonly TreePod[]> {
  const { children, reclaimed } = found.state === "readable" ? found.record : { children: [], reclaimed: [] };
  const known = new Set([...children, ...reclaimed].map((child) => child.session));
  const below: TreePod[] = [...children];
  for (const listing of await pods.list()) {
    if (!("record" in listing)) continue;
    const { session } = listing.record.pointer;
    if (isChildOf(listing.record, pod) && !known.has(session))
      below.push({ name: podName(listing.name), session });
  }
  return below;
}
