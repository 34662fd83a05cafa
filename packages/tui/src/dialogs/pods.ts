/** The Pods as a list: in sections, those first that need the user. */
import type { PodRow } from "../host.ts";
import { filtered } from "./list.ts";

/** In the order in which they stand. */
export const podSections = [
  { title: "waiting for you", standings: ["waiting"] },
  { title: "running", standings: ["running"] },
  { title: "live", standings: ["paused", "idle", "silent"] },
  { title: "stopped, can be restored", standings: ["stopped"] },
  { title: "cannot be read", standings: ["corrupt"] },
] as const satisfies readonly { title: string; standings: readonly PodRow["standing"][] }[];

export interface PodSection {
  readonly title: string;
  readonly rows: readonly PodRow[];
}

/** Newest first in each section; a call that waits makes a Pod one that waits for the user. Sections without a Pod are left out. */
export function sectionsOf(pods: readonly PodRow[], filter: string): readonly PodSection[] {
  const fitting = filtered(
    pods,
    filter,
    ({ name, title, workspace, detail }) => `${name} ${title ?? ""} ${workspace ?? ""} ${detail}`,
  );
  const rows = [...fitting].sort((a, b) => b.usedMs - a.usedMs || (a.name < b.name ? -1 : 1));
  return podSections
    .map(({ title, standings }) => ({
      title,
      rows: rows.filter((row) => (standings as readonly string[]).includes(sectionStanding(row))),
    }))
    .filter((section) => section.rows.length > 0);
}

function sectionStanding({ standing, approvals }: PodRow): PodRow["standing"] {
  const isLive = standing === "running" || standing === "paused" || standing === "idle";
  return isLive && approvals > 0 ? "waiting" : standing;
}

/** The rows that can be chosen, as they stand. */
export function chosenRows(pods: readonly PodRow[], filter: string): readonly PodRow[] {
  return sectionsOf(pods, filter).flatMap(({ rows }) => rows);
}
