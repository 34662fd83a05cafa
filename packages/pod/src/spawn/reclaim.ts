/** Taking a loan back: exactly once, in an order that stands a crash between any two steps. */
import { type PodName, YoiError } from "@yoi/base";
import { type ChildRecord, isHeldError, type ReclaimReason } from "@yoi/pod-store";
import { type ChildEnd, tellReclaim } from "./loan-notices.ts";
import { find, type Found, type HeldTree, holdTree, type Take } from "./hold-tree.ts";
import type { Lender } from "./lender.ts";
import { shutdownReason } from "./child-endings.ts";
import { tokenDigest } from "./child-token.ts";

/** What became of an attempt. `held`: somebody keeps a lease of the tree, and the loan stays open. `owed`: it is done once the inbox has room for its notice. */
export type Reclaimed =
  | { readonly result: "reclaimed"; readonly killed: readonly PodName[] }
  | { readonly result: "held"; readonly error: YoiError; readonly isLive: boolean }
  | { readonly result: "owed" };

export interface ReclaimOptions {
  /** How the leases of the child and of all below it are taken. */
  readonly take: Take;
  /** The Pod ends the child itself, and knows it: its model is told with the next request, and no run begins for it. */
  readonly isOwnDoing: boolean;
}

/** For evidence: a lease that can be taken at once is nobody's. */
export function takeNow({ lease }: Pick<Lender, "lease">): Take {
  return async (name) => ({ lease: await lease.acquire(name, "reclaim"), wasKilled: false });
}

/** Looks whether the child and all below it are gone, and takes the loan back if so. */
export async function reclaim(
  lender: Lender,
  child: ChildRecord,
  { take, isOwnDoing }: ReclaimOptions,
): Promise<Reclaimed> {
  await refuseWithoutSelf(lender);
  await using held = new AsyncDisposableStack();
  let tree: HeldTree;
  let isLive = true;
  try {
    tree = await holdTree(
      lender,
      child,
      async (name, isStored) => {
        const taken = await take(name, isStored);
        if (name === child.name) isLive = false;
        return taken;
      },
      held,
    );
  } catch (error) {
    if (isHeldError(error)) return { result: "held", error, isLive };
    throw error;
  }
  const { killed } = tree;
  const { reason, said } = await reasonOf(lender, child, tree.found);
  for (const name of tree.names) await lender.endStrays(name);
  const kept = await dropRows(lender, child);
  if (kept !== null) return kept;
  const isRemoved = reason === "not_started" && (await removeUnbegun(lender, child, tree.found));
  if (!(await tellReclaim(lender, child, { reason, said: isOwnDoing ? "" : said, killed }, isOwnDoing)))
    return { result: "owed" };
  await settle(lender, child, isRemoved ? null : reason);
  return { result: "reclaimed", killed };
}

/** Where its own metadata was moved away with the rest, every lock would be made anew, and would be free. */
async function refuseWithoutSelf({
  pods,
  name,
  record,
}: Pick<Lender, "pods" | "name" | "record">): Promise<void> {
  const { session } = record.current.pointer;
  if ((await find({ pods }, { name, session })).state !== "gone") return;
  throw new YoiError(
    "io_failed",
    `The metadata of the Pod ${name} is no longer at ${pods.pathOf(name)}: put the data directory back, and leave it alone while a Pod is up.`,
  );
}

/** Null: nobody has its rows any more. Leases that can be taken are no sign where their files, or metadata, were lost under a process that lives on. */
async function dropRows(
  { registry, name: self, ports }: Pick<Lender, "registry" | "name" | "ports">,
  { name, loan }: ChildRecord,
): Promise<Reclaimed | null> {
  try {
    await registry.reclaim(self, name, loan.id);
    return null;
  } catch (error) {
    if (!isHeldError(error)) throw error;
    const owner = (await registry.list()).find((row) => row.name === name)?.owner;
    const isLive = owner !== undefined && owner !== null && ports.processes.isAlive(owner);
    return { result: "held", error, isLive };
  }
}

/** The last steps: nothing is open any more. @param reason null: nothing is left of the child, and nothing is kept of it. */
export async function settle(
  lender: Lender,
  child: ChildRecord,
  reason: ReclaimReason | null,
): Promise<void> {
  // Before the loan is back: a crash between the two does both again.
  if (reason !== null) await lender.keepSpent(child);
  const how = reason === null ? null : { reason, atMs: lender.ports.clock.now() };
  await lender.record.reclaimChild(child.name, how);
  lender.scope.takeBack(child.loan.id);
}

/** Under its lease. */
async function reasonOf(
  { sessions }: Pick<Lender, "sessions">,
  child: ChildRecord,
  found: Found,
): Promise<Pick<ChildEnd, "reason" | "said">> {
  const lost = { reason: "lost", said: "" } as const;
  const unbegun = { reason: "not_started", said: "" } as const;
  const began = child.state === "live";
  if (found.state !== "readable") return began || found.state === "damaged" ? lost : unbegun;
  const { pointer, closedHead } = found.record;
  if (pointer.state === "pending") return began ? lost : unbegun;
  if (closedHead === null || closedHead.segment !== pointer.segment) return lost;
  const last = await sessions.readLast(pointer).catch(() => null);
  return last?.entry.seq === closedHead.seq && last.sum === closedHead.sum
    ? { reason: "stopped", said: shutdownReason(last.entry) }
    : lost;
}

/** Under its lease: what was made of a child that never opened its log. Whether nothing of it is left. */
async function removeUnbegun(
  lender: Pick<Lender, "pods" | "sessions" | "name">,
  child: ChildRecord,
  found: Found,
): Promise<boolean> {
  return found.state === "gone" || (await removeChild(lender, child, found));
}

/** Under its lease: the name first, then its log, as `pod rm`. False: it is not this very child of this very loan, and nothing is removed. */
export async function removeChild(
  { pods, sessions, name }: Pick<Lender, "pods" | "sessions" | "name">,
  child: ChildRecord,
  found: Found,
): Promise<boolean> {
  if (found.state !== "readable") return false;
  const { parent } = found.record;
  if (parent?.pod !== name || tokenDigest(parent.token) !== child.tokenDigest) return false;
  await pods.remove(child.name);
  await sessions.removeSession(child.session);
  return true;
}
