/** Whom a Pod may see: itself, its children and its peers, each as far as its metadata and it itself say. Never another Pod of the machine. */
import { messageOf, type PodName, type ScopeRule, type SessionId, type Timers, YoiError } from "@yoi/base";
import type { ManagedPod } from "@yoi/feature";
import {
  type ChildRecord,
  hostPurpose,
  type Lease,
  type PodRecord,
  type PodStore,
  type ReclaimedChild,
} from "@yoi/pod-store";
import { inParallel } from "../spawn/in-parallel.ts";
import { whyNoPeer } from "../spawn/peers.ts";

/** What a hosted Pod says of itself. */
export type LiveState = Pick<ManagedPod, "approvals"> & {
  readonly state: Exclude<ManagedPod["state"], "stopped" | "unknown">;
};

export interface KinPorts {
  readonly pods: Pick<PodStore, "read">;
  readonly lease: Pick<Lease, "owner">;
  readonly timers: Pick<Timers, "after">;
  /** Asks a hosted Pod; null, or a YoiError: it does not answer. A signal that aborts: its answer is not waited for any more. */
  readonly probe: (name: PodName, signal: AbortSignal) => Promise<LiveState | null>;
  /** Where a Pod takes clients when it is hosted. */
  readonly socketOf: (name: PodName) => string;
}

/** How many Pods are looked at at a time. */
export const lookedAtMax = 32;
/** For all answers together: a Pod that has not answered by then is `unknown`. */
export const probesMs = 1_000;

interface Relative {
  readonly name: PodName;
  readonly relation: "child" | "peer";
  /** Of the one that the loan was made to, or that is a peer: another one may have its name. */
  readonly session: SessionId;
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
  const controller = new AbortController();
  const cancel = ports.timers.after(probesMs, () => controller.abort());
  try {
    const seen = await inParallel(relativesOf(record), lookedAtMax, (relative) =>
      look(record, relative, { ...ports, signal: controller.signal }),
    );
    return [itself(record, now, ports), ...seen];
  } finally {
    cancel();
    controller.abort();
  }
}

function itself(record: PodRecord, now: LiveState, { socketOf }: KinPorts): ManagedPod {
  return {
    name: record.name,
    relation: "self",
    metadata: "readable",
    state: now.state,
    ...placeOf(record),
    socket: socketOf(record.name),
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
  ports: KinPorts & { readonly signal: AbortSignal },
): Promise<ManagedPod> {
  const { name, relation, scope, loan, session } = relative;
  const found = await readOrWhyNot(ports.pods, name);
  const isOther = found.record !== null && found.record.pointer.session !== session;
  const taken = isOther ? `another Pod has the name ${name} now` : null;
  const why = found.why ?? (relation === "peer" ? whyNoPeer(self, relative, found.record) : taken);
  const record = isOther ? null : found.record;
  const live = isOther ? { state: "stopped" as const, approvals: 0 } : await liveState(name, ports);
  const isUp = live.state !== "stopped";
  const reason = relation === "peer" ? "a peer is started by the user" : isUp ? "a process holds it" : why;
  return {
    name,
    relation,
    metadata: isOther ? "missing" : found.metadata,
    state: live.state,
    ...placeOf(record),
    socket: isUp ? ports.socketOf(name) : relative.socket,
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

async function liveState(
  name: PodName,
  { lease, probe, signal }: KinPorts & { readonly signal: AbortSignal },
): Promise<Pick<ManagedPod, "state" | "approvals">> {
  const hint = await lease.owner(name);
  if (hint?.alive !== true) return { state: "stopped", approvals: 0 };
  const unknown = { state: "unknown", approvals: 0 } as const;
  if (hint.owner.purpose !== hostPurpose || signal.aborted) return unknown;
  const { promise, resolve } = Promise.withResolvers<null>();
  const giveUp = (): void => resolve(null);
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return (await Promise.race([probe(name, signal), promise])) ?? unknown;
  } catch (error) {
    if (error instanceof YoiError) return unknown;
    throw error;
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
