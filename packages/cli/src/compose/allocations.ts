/** What is held now, as metadata and leases say: what a registry that was lost is made from, and what its loans are checked against. */
import { type Clock, isPodName, type Loan, type PodName, YoiError } from "@yoi/base";
import type { Files } from "@yoi/host";
import { parseManifest } from "@yoi/manifest";
import {
  type ChildRecord,
  hintSuffix,
  hostPurpose,
  isTheOneThatRuns,
  type Lease,
  type LeaseOwner,
  type PodRecord,
  type PodStore,
} from "@yoi/pod-store";
import { heldAlone } from "@yoi/scope";
import type { Allocation, Holder } from "@yoi/scope/registry";
import { socketPathIn } from "../runtime/runtime.ts";

interface Authorities {
  readonly pods: Pick<PodStore, "list" | "read" | "pathOf">;
  readonly lease: Pick<Lease, "owner">;
}

/** Live Pods with their ceiling, and every open loan; which of the loans count is for the registry to judge. */
export async function heldNow({ pods, lease }: Authorities): Promise<readonly Allocation[]> {
  // Nothing is known of a Pod whose metadata cannot be read; while it lives, its own process says what it holds.
  const records = (await pods.list()).flatMap((listing) => ("record" in listing ? [listing.record] : []));
  const owners = new Map<PodName, LeaseOwner>();
  await Promise.all(
    records.map(async ({ name }) => {
      const owner = await runnerOf(lease, name);
      if (owner !== null) owners.set(name, owner);
    }),
  );
  const rows = new Map<PodName, Allocation>();
  for (const record of records) {
    const owner = owners.get(record.name);
    const scope = owner === undefined ? null : scopeOf(record, pods);
    if (owner !== undefined && scope !== null)
      rows.set(record.name, { ...rowOf(record, owner), scope, delegatedFrom: null, loan: null });
  }
  for (const lender of records) {
    for (const { name, session, loan } of lender.children) {
      const child = records.find((record) => record.name === name && record.pointer.session === session);
      // A Pod that lives under the name of one that was removed holds what is its own.
      if (child === undefined && rows.has(name)) continue;
      const row = child === undefined ? { ...nobody, name } : rowOf(child, owners.get(name));
      rows.set(name, { ...row, scope: loan.scope, delegatedFrom: lender.name, loan: loan.id });
    }
  }
  return [...rows.values()];
}

/** The living process that is the Pod. Who holds its lease to begin it, to end it or to take its loan back is not. */
export async function runnerOf(lease: Pick<Lease, "owner">, name: PodName): Promise<LeaseOwner | null> {
  const hint = await lease.owner(name);
  return hint?.alive === true && isTheOneThatRuns(hint.owner) ? hint.owner : null;
}

/**
 * How long a Pod may have its lease before it must have its row. A Pod that opens takes the one and then the other; no row goes or comes by this time alone,
 * only another look at leases and metadata.
 */
export const unregisteredMs = 2_000;

/** By the hints beside the locks: those that run a Pod and should have their rows. */
export async function holdersNow({
  lease,
  files,
  clock,
  locks,
}: {
  readonly lease: Pick<Lease, "owner">;
  readonly files: Pick<Files, "list">;
  readonly clock: Pick<Clock, "now">;
  /** The directory of the locks. */
  readonly locks: string;
}): Promise<readonly Holder[]> {
  const names = (await files.list(locks))
    .filter((file) => file.endsWith(hintSuffix))
    .map((file) => file.slice(0, -hintSuffix.length))
    .filter(isPodName);
  const found = await Promise.all(
    names.map(async (name) => {
      const owner = await runnerOf(lease, name);
      if (owner === null || clock.now() - owner.sinceMs < unregisteredMs) return [];
      const { pid, started, boot } = owner;
      return [{ name, owner: { pid, started, boot } }];
    }),
  );
  return found.flat();
}

/** Whether the lender's metadata knows the loan; true where it cannot be read: what is unknown stays lent. */
export async function isLentNow(
  { pods }: Authorities,
  lender: PodName,
  child: PodName,
  loan: Loan["id"],
): Promise<boolean> {
  try {
    const record = await pods.read(lender);
    return record?.children.some((one: ChildRecord) => one.name === child && one.loan.id === loan) === true;
  } catch (error) {
    if (error instanceof YoiError) return true;
    throw error;
  }
}

const nobody = { owner: null, socket: null, segment: null, epoch: null };

function rowOf({ name, pointer, epoch }: PodRecord, owner: LeaseOwner | undefined) {
  const segment = pointer.state === "active" ? pointer.segment : null;
  if (owner === undefined) return { ...nobody, name, segment, epoch };
  const { pid, started, boot, purpose, runtime } = owner;
  const socket = purpose === hostPurpose && runtime !== null ? socketPathIn(runtime, name) : null;
  return { name, owner: { pid, started, boot }, socket, segment, epoch };
}

function scopeOf(
  { name, manifest, granted = [] }: PodRecord,
  pods: Authorities["pods"],
): Allocation["scope"] | null {
  try {
    const { allow, deny } = parseManifest(manifest, pods.pathOf(name)).scope;
    return heldAlone({ allow: [...allow, ...granted], deny });
  } catch (error) {
    if (error instanceof YoiError) return null;
    throw error;
  }
}
