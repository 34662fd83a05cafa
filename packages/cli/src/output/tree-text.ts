/** The tree of Pods for people: a line each, children below their parent. */
import type { Standing, TreePod, TreeState } from "@yoi/pod";
import { hostPurpose, type ReclaimReason } from "@yoi/pod-store";
import { writeRules } from "@yoi/scope";
import type { PodNow } from "../client/pod-now.ts";
import { nowText } from "../client/pod-now.ts";
import { describeCost, describeSpent } from "./cost.ts";
import { rulesText, scopeText } from "./scope-text.ts";
import { tableText } from "./table.ts";
import type { TreeTotal } from "./tree-total.ts";

/** What a hosted Pod said of itself, by name; null: it did not answer. */
export type NowOf = ReadonlyMap<string, PodNow | null>;

export function treeText(roots: readonly TreePod[], now: NowOf, total: TreeTotal): string {
  const rows = roots.flatMap((root) => rowsOf(root, now, { lead: "", below: "" }));
  const header = ["POD", "STATE", "HOLDS", "LENT", "TURNS", "IN", "OUT", "COST"];
  const { pods, live, spent } = total;
  const counts = `${pods} Pod${pods === 1 ? "" : "s"}, ${live} live`;
  return `${tableText(header, rows)}${counts}; ${spent.turns} turn${spent.turns === 1 ? "" : "s"}, ${describeSpent(spent)}\n`;
}

function rowsOf(
  pod: TreePod,
  now: NowOf,
  { lead, below }: { readonly lead: string; readonly below: string },
): readonly (readonly string[])[] {
  const { spent, ceiling, workspace, lent } = pod;
  const own = [
    `${lead}${pod.name}${titleText(pod)}`,
    stateText(pod, now),
    ceiling === null ? "-" : scopeText(ceiling, workspace),
    lent.map(({ child, loan }) => `${lentText(loan.scope, workspace)} to ${child}`).join("; ") || "-",
    ...(spent === null
      ? ["-", "-", "-", "-"]
      : [
          `${spent.turns}`,
          `${spent.usage.input_tokens}`,
          `${spent.usage.output_tokens}`,
          describeCost(spent.cost),
        ]),
  ];
  const children = pod.children.flatMap((child, index) => {
    const isLast = index === pod.children.length - 1;
    return rowsOf(child, now, {
      lead: `${below}${isLast ? "└─ " : "├─ "}`,
      below: `${below}${isLast ? "   " : "│  "}`,
    });
  });
  return [own, ...children];
}

function titleText({ record }: TreePod): string {
  return record?.title === undefined ? "" : ` (${record.title})`;
}

function lentText(scope: TreePod["lent"][number]["loan"]["scope"], workspace: string | null): string {
  const writes = writeRules(scope);
  return writes.length === 0 ? "reads" : rulesText(writes, workspace);
}

function stateText(pod: TreePod, now: NowOf): string {
  return [doingText(pod, now), ...standingText(pod.standing)].join(", ");
}

function doingText({ name, state, ownerPid, ownerPurpose }: TreePod, now: NowOf): string {
  if (ownerPid === null) return stoppedTexts[state];
  const wrong = state === "damaged" || state === "newer" ? `${stoppedTexts[state]}, ` : "";
  return ownerPurpose === hostPurpose
    ? `${wrong}hosted: ${nowText(now.get(name) ?? null)}`
    : `${wrong}live (pid ${ownerPid})`;
}

/** Of a Pod that nobody holds. */
const stoppedTexts: Readonly<Record<TreeState, string>> = {
  live: "stopped",
  idle: "stopped",
  unfinished: "stopped in mid-turn",
  paused: "stopped while paused",
  interrupted: "stopped in mid-run",
  pending: "never ran",
  damaged: "damaged",
  newer: "of a newer yoi",
  missing: "missing",
};

const backTexts: Readonly<Record<ReclaimReason, string>> = {
  stopped: "loan back: it was stopped",
  lost: "loan back: it was found gone",
  not_started: "loan back: it never began",
};

/** What is not as usual. */
export function standingText(standing: Standing): readonly string[] {
  switch (standing.kind) {
    case "own":
      return [];
    case "orphan":
      return [`its parent ${standing.parent} is gone`];
    case "unclear":
      return ["loan not known"];
    case "lent":
      return standing.child.state === "starting" ? ["starting"] : [];
    case "reclaimed":
      return [standing.child === null ? "loan back" : backTexts[standing.child.reason]];
  }
}
