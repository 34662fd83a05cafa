/** The tree of Pods: who lent what to whom, what each is doing, and what each used. Read from the stores; no Pod is constructed and no lease is taken. */
import {
  type Cost,
  inParallel,
  type Loan,
  messageOf,
  podName,
  type Scope,
  type Spent,
  type Usage,
  YoiError,
} from "@yoi/base";
import { parseManifest } from "@yoi/manifest";
import type { PodRecord, PodStore } from "@yoi/pod-store";
import { type DiscoveryStores, type LiveOwner, liveOwnerOf, type PodStatus, statusOf } from "./find-pod.ts";
import { type ChildrenRecord, childrenSpentDomain, recordedSpent } from "../usage/children-record.ts";
import { writingOnly } from "@yoi/scope";
import { podUnknown } from "./pod-unknown.ts";
import { findPlace, type Place, placesOf, type Standing } from "./kinship.ts";
import { withoutArriving } from "../usage/arriving.ts";

/** A loan that a Pod made and that is open. */
export interface LentTo {
  readonly child: string;
  readonly loan: Loan;
}

/** What a Pod's log says it did. */
export interface Spending {
  /** Whole answers since the session began, as its usage counts them: also those behind which it went back. */
  readonly turns: number;
  readonly usage: Usage;
  readonly cost: Cost;
}

/** `newer`: a later yoi wrote its metadata. `missing`: its parent knows it, and there is no such Pod any more. */
export type TreeState = PodStatus | "newer" | "missing";

export interface TreePod extends LiveOwner {
  readonly name: string;
  readonly standing: Standing;
  readonly state: TreeState;
  readonly record: PodRecord | null;
  readonly workspace: string | null;
  /** The most that it may touch: its manifest's scope, or of a child the loan's. Null: it is not known, or its loan is back. */
  readonly ceiling: Scope | null;
  readonly lent: readonly LentTo[];
  /** Null: its log cannot be read, or there is none yet. */
  readonly spent: Spending | null;
  /** What is wrong with its metadata or its log, in one sentence; null: nothing. */
  readonly error: string | null;
  readonly children: readonly TreePod[];
}

export interface TreeStores extends DiscoveryStores {
  readonly pods: Pick<PodStore, "read" | "list" | "pathOf">;
}

/** Logs are read whole, so few at a time. */
export const logsAtOnceMax = 4;

/** All of them, or with a name the tree below that one Pod. Throws pod_unknown. */
export async function podTree(stores: TreeStores, name: string | null): Promise<readonly TreePod[]> {
  const places = placesOf(await stores.pods.list());
  const wanted = name === null ? places : [foundPlace(places, podName(name))];
  const flat = wanted.flatMap(withAllBelow);
  const seen = await inParallel(flat, logsAtOnceMax, (place) => look(stores, place));
  const byPlace = new Map(flat.map((place, index) => [place, seen[index]]));
  const nodeOf = (place: Place, above: ChildrenRecord | null): TreePod[] => {
    const found = byPlace.get(place);
    if (found === undefined) return [];
    const { known, ...pod } = found;
    const spent = pod.state === "missing" ? spentOfMissing(pod, above) : pod.spent;
    return [{ ...pod, spent, children: place.below.flatMap((child) => nodeOf(child, known)) }];
  };
  return wanted.flatMap((place) => nodeOf(place, null));
}

/** As its parent has it on record, with all that was below it. */
function spentOfMissing(
  { standing }: Pick<TreePod, "standing">,
  above: ChildrenRecord | null,
): Spending | null {
  const session = "child" in standing ? standing.child?.session : undefined;
  const spent = session === undefined ? undefined : above?.sessions.get(session);
  return spent === undefined ? null : spendingOf(spent);
}

function spendingOf({ turns, usage, cost_nano_usd, unpriced_requests }: Spent): Spending {
  return { turns, usage, cost: { nano_usd: cost_nano_usd, unpriced_requests } };
}

/** How one Pod stands to the one above it, and the most that it may touch by that; no log is read. */
export async function standingOf(
  stores: Pick<TreeStores, "pods">,
  record: PodRecord,
): Promise<Pick<TreePod, "standing" | "ceiling">> {
  const { standing } = foundPlace(placesOf(await stores.pods.list()), record.name);
  return { standing, ceiling: ceilingOf(standing, readManifest(record, stores)) };
}

function foundPlace(places: readonly Place[], name: string): Place {
  const found = findPlace(places, name);
  if (found !== null && found.listing !== null) return found;
  throw podUnknown(name);
}

function withAllBelow(place: Place): readonly Place[] {
  return [place, ...place.below.flatMap(withAllBelow)];
}

/** A Pod with what is on record of its children. */
type SeenPod = Omit<TreePod, "children"> & { readonly known: ChildrenRecord | null };

const nothing = {
  known: null,
  ownerPid: null,
  ownerPurpose: null,
  record: null,
  workspace: null,
  ceiling: null,
  lent: [],
  spent: null,
} as const;

async function look(stores: TreeStores, { name, listing, standing }: Place): Promise<SeenPod> {
  if (listing === null) {
    // What its parent lent it came back, so that nothing is left of it is no fault.
    const error = standing.kind === "reclaimed" ? null : `There is no Pod named ${name} any more.`;
    return { ...nothing, name, standing, state: "missing", error };
  }
  if ("fault" in listing) {
    const owner = await liveOwnerOf(stores.lease, name);
    return { ...nothing, ...owner, name, standing, state: listing.fault, error: listing.error };
  }
  const { record } = listing;
  const manifest = readManifest(record, stores);
  const { status, ownerPid, ownerPurpose, spent, error, known } = await readLog(stores, record);
  return {
    name,
    standing,
    state: status,
    ownerPid,
    ownerPurpose,
    record,
    workspace: manifest.workspace,
    ceiling: ceilingOf(standing, manifest),
    lent: record.children.map((child) => ({ child: child.name, loan: child.loan })),
    spent,
    known,
    error: manifest.error ?? error,
  };
}

/** A scope that is its own is narrowed to what it was told to write already. */
function ceilingOf(standing: Standing, { scope, writes }: ReadManifest): Scope | null {
  switch (standing.kind) {
    case "own":
    case "orphan":
      return scope;
    case "lent":
      return writes === undefined
        ? standing.child.loan.scope
        : writingOnly(standing.child.loan.scope, writes);
    case "unclear":
    case "reclaimed":
      return null;
  }
}

interface ReadManifest {
  readonly workspace: string | null;
  readonly scope: Scope | null;
  /** Undefined: nobody narrowed it. */
  readonly writes?: readonly string[] | undefined;
  readonly error: string | null;
}

function readManifest({ name, manifest }: PodRecord, { pods }: Pick<TreeStores, "pods">): ReadManifest {
  try {
    const { workspace, scope, writes } = parseManifest(manifest, pods.pathOf(name));
    return { workspace, scope, writes, error: null };
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    return { workspace: null, scope: null, error: messageOf(error) };
  }
}

async function readLog(
  { sessions, lease }: TreeStores,
  { name, pointer }: PodRecord,
): Promise<Omit<Awaited<ReturnType<typeof statusOf>>, "state"> & Pick<SeenPod, "spent" | "error" | "known">> {
  try {
    const view = pointer.state === "active" ? await sessions.read(pointer) : null;
    const { state, ...status } = await statusOf(lease, name, view);
    const damage = view?.damage ?? null;
    return {
      ...status,
      spent:
        state === null ? null : spendingOf(withoutArriving(state.spent, state, status.ownerPid !== null)),
      known: recordedSpent(state?.extensions.get(childrenSpentDomain) ?? null),
      error:
        damage === null
          ? null
          : `The log of the Pod ${name} is damaged at byte ${damage.offset} of ${damage.path} (${damage.reason}): what it used is counted up to there.`,
    };
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    return {
      ...(await statusOf(lease, name, null)),
      status: "damaged",
      spent: null,
      known: null,
      error: messageOf(error),
    };
  }
}
