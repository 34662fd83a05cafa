/** The tree of Pods as rows: what each may touch and what it has on loan, in words, beside its row of the list. */
import type { Scope } from "@yoi/base";
import { podTree, type TreePod } from "@yoi/pod";
import { permissionAt } from "@yoi/scope";
import type { PodRow, TreeRow } from "@yoi/tui";
import type { Stores } from "../compose/stores.ts";
import { rulesText, scopeText } from "../output/scope-text.ts";
import { standingText } from "../output/tree-text.ts";

/** @param list the Pods as they are listed; one that is gone and that its parent knows still is a row too */
export async function treeRows(stores: Stores, list: readonly PodRow[]): Promise<readonly TreeRow[]> {
  const byName = new Map(list.map((row) => [row.name, row]));
  const rowsOf = (pod: TreePod, depth: number): readonly TreeRow[] => [
    {
      depth,
      pod: byName.get(pod.name) ?? missingRow(pod),
      scope: scopeLines(pod),
      loan: loanLine(pod),
    },
    ...pod.children.flatMap((child) => rowsOf(child, depth + 1)),
  ];
  return (await podTree(stores, null)).flatMap((root) => rowsOf(root, 0));
}

function missingRow({ name, error, workspace }: TreePod): PodRow {
  return {
    name,
    title: null,
    standing: "corrupt",
    detail: error ?? "it is gone, and its loan is back",
    approvals: 0,
    workspace,
    model: null,
    parent: null,
    usedMs: 0,
    lastLine: "",
    bytes: null,
  };
}

function scopeLines({ ceiling, workspace, lent }: TreePod): readonly string[] {
  const own =
    ceiling === null
      ? ["not known"]
      : [`writes ${writesOf(ceiling, workspace)}`, ...readsOf(ceiling, workspace)];
  const out = lent.map(({ child, loan }) => `lends ${child}: ${scopeText(loan.scope, workspace)}`);
  return [...own, ...out];
}

function writesOf(scope: Scope, workspace: string | null): string {
  const text = scopeText(scope, workspace);
  return text === "reads only" ? "nothing" : text;
}

function readsOf(scope: Scope, workspace: string | null): readonly string[] {
  const readable = scope.allow.filter(({ target }) => permissionAt(scope, target) === "read");
  return readable.length === 0 ? [] : [`reads ${rulesText(readable, workspace)}`];
}

function loanLine({ standing, ceiling, workspace }: TreePod): string | null {
  const said = standingText(standing);
  switch (standing.kind) {
    case "own":
      return null;
    case "lent":
      return [
        `from ${standing.parent}: ${ceiling === null ? "not known" : scopeText(ceiling, workspace)}`,
        ...said,
      ].join(", ");
    case "orphan":
    case "unclear":
    case "reclaimed":
      return said.join(", ");
  }
}
