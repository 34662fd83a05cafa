/** Whom a Pod may see: itself, its children and its peers, each as far as its metadata and it itself say. Never another Pod of the machine. */
import { inParallel, messageOf, type PodName, type ScopeRule, YoiError } from "@yoi/base";
import type { ManagedPod } from "@yoi/feature";
import type { ChildRecord, PodRecord, PodStore, ReclaimedChild } from "@yoi/pod-store";
import { type LiveStatePorts, type LiveState, nobodyHasIt, probing, stateOf } from "../spawn/live-state.ts";
import { whyNoPeer } from "../spawn/peers.ts";
import { isMeant, type PodRef } from "../spawn/same-pod.ts";

export interface KinPorts extends LiveStatePorts {
  readonly pods: Pick<PodStore, "read">;
  /** Where a Pod takes clients when it is hosted. @param runtime that of its process, as it says; null: as this one's */
  readonly socketOf: (name: PodName, runtime: string | null) => string;
}

/** How many Pods are looked at at a time. */
export const lookedAtMax = 32;

/** The one that the loan was made to, or that is a peer. */
interface Relative extends PodRef {
  readonly relation: "child" | "peer";
  readonly scope: readonly ScopeRule[];
  readonly loan: ManagedPod["loan"];
  readonly socket: string | null;
}

/**
 * The Pod itself first, then children with an open loan, those whose loan came back, and peers, each by name; a child that is a peer too is a child. Metadata that
 * cannot be read marks its own item only.
 * @param self as it is stored, and what it is doing
 */
export async function listKin(
  self: { readonly record: PodRecord; readonly now: LiveState },
  ports: KinPorts,
): Promise<readonly ManagedPod[]> {
  const { record, now } = self;
  const seen = await probing(ports.timers, (signal) =>
    inParallel(relativesOf(record), lookedAtMax, (relative) => look(record, relative, ports, signal)),
  );
  return [itself(record, now, ports), ...seen];
}

function itself(record: PodRecord, now: LiveState, { socketOf }: KinPorts): ManagedPod {
  return {
    name: record.name,
    relation: "self",
    metadata: "readable",
    state: now.state,
    ...placeOf(record),
    socket: socketOf(record.name, null),
    scope: [],
    loan: null,
    restorable: false,
    reason: "it is this Pod",
    approvals: now.approvals,
    children: record.children.length,
  };
}

function relativesOf({ children, reclaimed, peers }: PodRecord): readonly Relative[] {
  const asChild = (child: ChildRecord | ReclaimedChild, loan: Relative["loan"]): Relative => ({
    name: child.name,
    relation: "child",
    session: child.session,
    scope: child.loan.scope.allow,
    loan,
    socket: "socket" in child ? child.socket : null,
  });
  const own = [
    ...children.map((child) => asChild(child, "open")),
    ...reclaimed.map((child) => asChild(child, child.reason)).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  ];
  const others = peers.filter((peer) => own.every(({ name }) => name !== peer.name));
  return [
    ...own,
    ...others.map(({ name, session }): Relative => ({
      name,
      relation: "peer",
      session,
      scope: [],
      loan: null,
      socket: null,
    })),
  ];
}

async function look(
  self: PodRecord,
  relative: Relative,
  ports: KinPorts,
  signal: AbortSignal,
): Promise<ManagedPod> {
  const { name, relation, scope, loan } = relative;
  const found = await readOrWhyNot(ports.pods, name);
  const isOther = found.record !== null && !isMeant(found.record, relative);
  const taken = isOther ? `another Pod has the name ${name} now` : null;
  const why = found.why ?? (relation === "peer" ? whyNoPeer(self, relative, found.record) : taken);
  const record = isOther ? null : found.record;
  const live = isOther ? nobodyHasIt : await stateOf(name, ports, signal);
  const isUp = live.state !== "stopped";
  const reason = isUp ? "a process holds it" : relation === "peer" ? "a peer is started by the user" : why;
  return {
    name,
    relation,
    metadata: isOther ? "missing" : found.metadata,
    state: live.state,
    ...placeOf(record),
    socket: isUp ? ports.socketOf(name, live.runtime) : relative.socket,
    scope,
    loan,
    restorable: reason === null,
    reason: why ?? reason,
    approvals: live.approvals,
    children: record?.children.length ?? 0,
  };
}

function placeOf(record: PodRecord | null): Pick<ManagedPod, "session" | "segment"> {
  if (record === null) return { session: null, segment: null };
  const { pointer } = record;
  return { session: pointer.session, segment: pointer.state === "active" ? pointer.segment : null };
}

async function readOrWhyNot(
  pods: KinPorts["pods"],
  name: PodName,
): Promise<
  Pick<ManagedPod, "metadata"> & { readonly record: PodRecord | null; readonly why: string | null }
> {
  try {
    const record = await pods.read(name);
    if (record !== null) return { metadata: "readable", record, why: null };
    return { metadata: "missing", record, why: `there is no Pod named ${name} any more` };
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    return { metadata: "corrupt", record: null, why: messageOf(error) };
  }
}
