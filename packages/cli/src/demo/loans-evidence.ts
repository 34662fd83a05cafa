/** What the demo of loans looks at: the tree as `yoi tree --json` has it, and the parent's log. */
import type { Stores } from "../compose/stores.ts";
import type { ChildYoi } from "./child.ts";
import type { LoansEvidence, SeenChild } from "./loans-claims.ts";
import { lenderFiles, loansPods } from "./loans-scenario.ts";
import { command, entriesOf } from "./pods.ts";

const { parent, killed, kept } = loansPods;
/** Relative to the workspace. */
export const parts = { killed: "src/a", kept: "src/b" };

/** As `yoi tree --json` has it, as far as it is looked at here. */
export interface SeenPod {
  readonly name: string;
  readonly state: string;
  readonly now: { readonly state: string } | null;
  readonly loan: { readonly state: string; readonly id: string | null } | null;
  readonly scope: {
    readonly allow: readonly { readonly target: string; readonly permission: string }[];
  } | null;
  readonly lent: readonly unknown[];
  readonly children: readonly SeenPod[];
}

export async function treeOf(yoi: ChildYoi): Promise<SeenPod> {
  const { pods } = JSON.parse(await command(yoi, ["tree", parent, "--json"])) as {
    readonly pods: readonly SeenPod[];
  };
  const [seen] = pods;
  if (seen === undefined) throw new Error("the tree is empty");
  return seen;
}

export function both(seen: SeenPod): { readonly killed: SeenChild; readonly kept: SeenChild } {
  return { killed: childOf(seen, killed), kept: childOf(seen, kept) };
}

export function childOf({ children }: SeenPod, name: string): SeenChild {
  const child = children.find((one) => one.name === name);
  const writes = (child?.scope?.allow ?? []).filter(({ permission }) => permission === "write");
  return {
    state: child?.state ?? "not in the tree",
    loan: child?.loan?.state ?? null,
    writes: writes.map(({ target }) => target),
  };
}

/** Notices of the parent that its model was not told of yet. */
export async function waiting(stores: Stores): Promise<number> {
  const entries = await entriesOf(stores, parent);
  const accepted = entries.filter(({ kind }) => kind === "inbox_accepted").length;
  return (
    accepted - entries.filter((entry) => entry.kind === "system_item" && entry.delivers !== undefined).length
  );
}

export async function writesRefused(stores: Stores): Promise<readonly boolean[]> {
  return (await entriesOf(stores, parent)).flatMap((entry) =>
    entry.kind === "tool_result" && entry.item.name !== "SpawnPod"
      ? [entry.item.is_error || /\(exit [1-9]/.test(entry.item.summary)]
      : [],
  );
}

/** What the parent's log says: how often each loan came back, and that the lender was refused a write where one was still lent before that. */
export async function toldTo(stores: Stores, before: SeenPod): Promise<LoansEvidence["told"]> {
  const entries = await entriesOf(stores, parent);
  const accepted = entries.filter((entry) => entry.kind === "inbox_accepted");
  const backOf = (name: string): readonly number[] => {
    const loan = before.children.find((child) => child.name === name)?.loan?.id;
    return accepted.filter(({ submission }) => submission === `reclaim/${loan}`).map(({ seq }) => seq);
  };
  const finished = accepted.filter(
    ({ submission, item }) =>
      submission?.startsWith(`child/${kept}/`) === true && JSON.stringify(item).includes("finished its run"),
  );
  const refusedAt = entries.find(
    (entry) =>
      entry.kind === "tool_result" &&
      entry.item.is_error &&
      entry.item.summary.includes(`/${parts.kept}/${lenderFiles.kept}`),
  )?.seq;
  const [keptBackAt] = backOf(kept);
  return {
    killedBack: backOf(killed).length,
    keptBack: backOf(kept).length,
    keptFinished: finished.length,
    refusedBefore: refusedAt !== undefined && keptBackAt !== undefined && refusedAt < keptBackAt,
  };
}
