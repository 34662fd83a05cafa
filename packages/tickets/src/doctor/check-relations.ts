/** The relations of all tickets together: targets that are not there, tickets that wait for each other, parts that are open. */
import type { RelatedTicket } from "../catalog.ts";
import { isResolved, waitingOn } from "../relations.ts";
import { findings, type Problem } from "./problem.ts";
import { threadName } from "../place.ts";

export function checkRelations(tickets: readonly RelatedTicket[]): Problem[] {
  const byId = new Map(tickets.map((one) => [one.id, one]));
  const problems: Problem[] = [];
  for (const ticket of tickets) {
    const found = findings(ticket.id);
    for (const { relation, target } of ticket.relations) {
      const other = byId.get(target);
      if (other === undefined)
        found.error(
          "relation_dangling",
          threadName,
          `It says ${relation} ${target}, and there is no such ticket: bring that one back, or unlink it.`,
        );
      else if (relation === "part_of" && isOpen(ticket) && !isOpen(other))
        found.warning(
          "part_open",
          threadName,
          `This is ${ticket.state ?? "open"} and part of ${other.id}, which is ${other.state ?? "done"}: finish or unlink this one, or take that one back.`,
        );
    }
    problems.push(...found.problems);
  }
  return [...problems, ...cycles(tickets)];
}

function isOpen({ state }: RelatedTicket): boolean {
  return state === null || !isResolved(state);
}

/** Each cycle that a walk over all comes upon, at its smallest id. No recursion: a chain may be as long as there are tickets. */
function cycles(tickets: readonly RelatedTicket[]): Problem[] {
  // A ticket that is related to itself is reported where its thread is checked.
  const next = new Map(tickets.map((one) => [one.id, waitingOn(one).filter((target) => target !== one.id)]));
  const walked = new Set<string>();
  const problems: Problem[] = [];
  for (const start of next.keys()) {
    const way: { readonly id: string; readonly targets: string[] }[] = [];
    const onWay = new Set<string>();
    const enter = (id: string): void => {
      way.push({ id, targets: [...(next.get(id) ?? [])] });
      onWay.add(id);
    };
    if (!walked.has(start)) enter(start);
    for (let top = way.at(-1); top !== undefined; top = way.at(-1)) {
      const target = top.targets.pop();
      if (target === undefined) {
        way.pop();
        onWay.delete(top.id);
        walked.add(top.id);
      } else if (onWay.has(target)) {
        const ids = way.map(({ id }) => id);
        problems.push(...cycleProblem(ids.slice(ids.indexOf(target))));
      } else if (!walked.has(target)) enter(target);
    }
  }
  return problems;
}

/** Of those in a circle. */
export const namedMax = 8;

function cycleProblem(ids: readonly string[]): readonly Problem[] {
  const first = ids.toSorted()[0] ?? "";
  const at = ids.indexOf(first);
  const inOrder = [...ids.slice(at), ...ids.slice(0, at)];
  const named = [...inOrder.slice(0, namedMax), ...(inOrder.length > namedMax ? ["..."] : []), first];
  const found = findings(first);
  found.error(
    "relation_cycle",
    threadName,
    `Each of these waits for the one before it, so none can ever be first: ${named.join(", ")}. Unlink one of them.`,
  );
  return found.problems;
}
