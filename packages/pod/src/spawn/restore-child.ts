/** RestorePod: a stopped child again, on the loan that it has or on a new one of the same rules. */
import { type Loan, YoiError } from "@yoi/base";
import type { ManagementCall, PodRestored } from "@yoi/feature";
import { boundedBy, manifestToJson, parseManifest, policiesBelow } from "@yoi/manifest";
import { type ChildRecord, type PodRecord, tryAcquire } from "@yoi/pod-store";
import { beginOnLoan } from "./begin-child.ts";
import type { ChildHost } from "./child-host.ts";
import { tokenDigest } from "./child-token.ts";
import type { Lender } from "./lender.ts";
import { loanAgain } from "./loan.ts";
import { assertBound } from "./looser-child.ts";
import type { FormerChild } from "./named-child.ts";
import { isChildOf, isMeant, refOf } from "./same-pod.ts";
import { roomBelow } from "./spawn-child.ts";

export interface Restored extends PodRestored {
  /** Sentences about its start, for the user. */
  readonly warnings: readonly string[];
}

/** On its open loan. Throws what its process fails with. */
export async function restoreOnLoan(
  lender: Lender,
  host: ChildHost,
  child: ChildRecord,
  { signal }: Pick<ManagementCall, "signal">,
): Promise<Restored> {
  const { name } = child;
  const taken = await tryAcquire(lender.lease, name, "restore");
  if ("error" in taken) {
    // Somebody has it, so the child lives.
    await assertBound(lender, child);
    const socket = child.socket ?? host.socketOf(name);
    return { name, socket, action: "already_live", warnings: [] };
  }
  try {
    await bindAnew(lender, child, child.loan);
  } finally {
    await taken.lease.release();
  }
  signal.throwIfAborted();
  const { socket, warnings } = await host.start(name, signal);
  await lender.record.putChild({ ...child, state: "live", socket, callback: lender.socket });
  return { name, socket, action: "restored", warnings };
}

/** Its loan came back: the same rules are lent again, as far as they are held now. */
export async function restoreReclaimed(
  lender: Lender,
  host: ChildHost,
  before: FormerChild,
  { signal }: Pick<ManagementCall, "signal">,
): Promise<Restored> {
  const { name, session } = before;
  const stored = await storedChild(lender, before);
  roomBelow(lender);
  const { loan, targets } = await loanAgain(lender, before.loan);
  const child: ChildRecord = {
    name,
    state: "starting",
    loan,
    session,
    tokenDigest: tokenDigest(stored.token),
    socket: host.socketOf(name),
    callback: lender.socket,
    sinceMs: lender.ports.clock.now(),
  };
  const reached = await beginOnLoan(lender, {
    host,
    child,
    targets,
    confirm: async () => void (await storedChild(lender, before)),
    prepare: () => bindAnew(lender, before, loan),
    keeps: before.reason,
    signal,
  });
  return { ...reached, action: "restored" };
}

/**
 * What it was begun with stays, whatever a profile says today; but it is lent to by who its parent is now, so it may do no more than that one may now, and
 * touches what is lent now. Under its lease.
 */
async function bindAnew(
  lender: Lender,
  child: Pick<ChildRecord, "name" | "session">,
  { scope }: Loan,
): Promise<void> {
  const { record } = await storedChild(lender, child);
  const kept = parseManifest(record.manifest, lender.pods.pathOf(child.name));
  // What it may use is what there is now, more or less than when it began.
  const { budget: _, ...rest } = kept;
  const given = lender.budget === null ? {} : { budget: await lender.budget.leftFor(child) };
  const above = policiesBelow(lender.name, lender.manifest);
  const bounded = boundedBy(rest, { ...lender.manifest, ...given }, above);
  await lender.pods.update(child.name, record, {
    manifest: manifestToJson({ ...bounded, scope }, record.manifest),
  });
}

/** Its metadata, where it still is this Pod's child. Throws pod_unknown, child_unknown, metadata_damaged. */
async function storedChild(
  { pods, record: own, name: self }: Pick<Lender, "pods" | "record" | "name">,
  { name, session }: Pick<ChildRecord, "name" | "session">,
): Promise<{ readonly record: PodRecord; readonly token: string }> {
  const record = await pods.read(name);
  if (record === null) {
    throw new YoiError(
      "pod_unknown",
      `The child ${name} was removed, with its log: begin a new one with SpawnPod.`,
    );
  }
  const { parent } = record;
  if (parent === null || !isMeant(record, { session }) || !isChildOf(record, refOf(own.current))) {
    throw new YoiError(
      "child_unknown",
      `The child ${name} was removed, and the Pod that has its name now is not a child of ${self}: begin another one with SpawnPod.`,
    );
  }
  return { record, token: parent.token };
}
