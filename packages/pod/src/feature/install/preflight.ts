/** Preflight: what no two features may share, and no feature with the host. Who comes later is not installed; nothing is tried. */
import type { Tool } from "@yoi/base";
import type { GrantedCandidate } from "./decide-grants.ts";

/** Features of one Pod. */
export const featuresMax = 128;

/** Those that may be installed, in their order. The record of each other one names both parties. */
export function preflight(
  candidates: readonly GrantedCandidate[],
  existingTools: readonly Tool[],
): readonly GrantedCandidate[] {
  const ids = new Map<string, string>();
  // Compared without regard to case, as the worker's tool table has it.
  const tools = new Map(existingTools.map(({ definition }) => [definition.name.toLowerCase(), "yoi itself"]));
  const domains = new Map<string, string>();
  return candidates.filter(({ descriptor, record }) => {
    const { id, state } = descriptor;
    const shown = `${descriptor.display_name} ${descriptor.version}`;
    const first = ids.get(id);
    if (first !== undefined) {
      record.leaveOut(
        "failed",
        `Two features have the id ${id}, ${first} and ${shown}: the first is kept, this one is not installed.`,
      );
      return false;
    }
    if (ids.size >= featuresMax) {
      record.leaveOut(
        "skipped",
        `${id} is one feature too many: a Pod has at most ${featuresMax}, and those before it are kept.`,
      );
      return false;
    }
    const problems: string[] = [];
    for (const { name } of descriptor.tools) {
      const other = tools.get(name.toLowerCase());
      if (other === undefined) continue;
      const reason = `The tool ${name} of ${id} has the name of a tool of ${other}.`;
      record.skip({ kind: "tool", name, reason });
      problems.push(reason);
    }
    const owner = state === null ? undefined : domains.get(state.domain);
    if (state !== null && owner !== undefined) {
      const reason = `The state domain ${state.domain} of ${id} is the domain of ${owner}.`;
      record.skip({ kind: "state", name: state.domain, reason });
      problems.push(reason);
    }
    for (const why of problems) record.leaveOut("failed", why);
    if (problems.length > 0) return false;
    ids.set(id, shown);
    for (const { name } of descriptor.tools) tools.set(name.toLowerCase(), id);
    if (state !== null) domains.set(state.domain, id);
    return true;
  });
}
