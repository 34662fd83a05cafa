/** The tree of Pods as JSON. */
import type { JsonObject, Scope } from "@yoi/base";
import type { Standing, TreePod } from "@yoi/pod";
import { costFields } from "./cost.ts";
import type { NowOf } from "./tree-text.ts";
import type { TreeTotal } from "./tree-total.ts";

export function treeJson(roots: readonly TreePod[], now: NowOf, total: TreeTotal): JsonObject {
  const { pods, live, spent } = total;
  return {
    pods: roots.map((pod) => podJson(pod, now)),
    total: { pods, live, turns: spent.turns, usage: { ...spent.usage }, ...costFields(spent.cost) },
  };
}

function podJson(pod: TreePod, now: NowOf): JsonObject {
  const { name, state, ownerPid, ownerPurpose, record, workspace, ceiling, lent, spent, error } = pod;
  const said = now.get(name) ?? null;
  return {
    name,
    title: record?.title ?? null,
    state,
    owner_pid: ownerPid,
    owner_purpose: ownerPurpose,
    now: said === null ? null : { ...said },
    workspace,
    session_id: record?.pointer.session ?? null,
    parent: pod.standing.kind === "own" ? null : pod.standing.parent,
    loan: standingJson(pod.standing),
    scope: ceiling === null ? null : scopeJson(ceiling),
    lent: lent.map(({ child, loan }) => ({ to: child, id: loan.id, ...scopeJson(loan.scope) })),
    turns: spent?.turns ?? null,
    usage: spent === null ? null : { ...spent.usage },
    ...(spent === null ? { total_cost_usd: null, cost: null } : costFields(spent.cost)),
    error,
    children: pod.children.map((child) => podJson(child, now)),
  };
}

/** What the loan that it has, or had, is: `open`, or why it is back. Null: it never had one, or its parent is gone. */
export function standingJson(standing: Standing): JsonObject | null {
  switch (standing.kind) {
    case "own":
    case "orphan":
      return null;
    case "unclear":
      return { state: "unknown", id: null };
    case "lent":
      return { state: "open", id: standing.child.loan.id, since_ms: standing.child.sinceMs };
    case "reclaimed":
      return {
        state: standing.child?.reason ?? "back",
        id: standing.child?.loan.id ?? null,
        back_ms: standing.child?.atMs ?? null,
      };
  }
}

export function scopeJson({ allow, deny }: Scope): JsonObject {
  return { allow: allow.map((rule) => ({ ...rule })), deny: deny.map((rule) => ({ ...rule })) };
}
