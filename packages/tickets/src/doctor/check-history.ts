/** What happened to a ticket, event by event: whether each step was legal from where it stood, and whether who made it may. */
import { foldEvent, isOfState, nothingFolded } from "../fold.ts";
import { threadName } from "../place.ts";
import { settledBy } from "../standing.ts";
import type { ParsedEvent } from "../thread.ts";
import { isTicketId } from "../ticket-id.ts";
import {
  relationKinds,
  reviewStatuses,
  type TicketEvent,
  type TicketState,
  ticketStates,
} from "../ticket.ts";
import { entryRoles, mayTransition, transitionRule } from "../transitions.ts";
import type { Findings } from "./problem.ts";

/** Of the events that came in from elsewhere nothing is asked: other rules held there. */
export function checkHistory(id: string, events: readonly ParsedEvent[], found: Findings): void {
  const walk = new HistoryWalk(id, found);
  for (const { event, line } of events) walk.step(event, line);
  walk.end();
}

/** Runs over events once, in the order of the thread. */
class HistoryWalk {
  readonly #id: string;
  readonly #found: Findings;
  /** Before the event that is looked at. */
  #fold = nothingFolded;
  /** Where the ticket stood at some time. */
  readonly #visited = new Set<TicketState>();
  /** Of the event since which it stands in more than one state. */
  #contestedLine = 0;
  #lastStepId = "";

  constructor(id: string, found: Findings) {
    this.#id = id;
    this.#found = found;
  }

  step(event: TicketEvent, line: number): void {
    this.#check(event, line);
    const isContested = this.#fold.standing.length > 1;
    this.#fold = foldEvent(this.#fold, event);
    for (const state of this.#fold.standing) this.#visited.add(state);
    if (this.#fold.standing.length > 1 && !isContested) this.#contestedLine = line;
  }

  /** Behind the last event. */
  end(): void {
    const { standing } = this.#fold;
    if (standing.length < 2) return;
    this.#found.error(
      "state_contested",
      threadName,
      `The ticket stands in ${standing.join(" and ")}, as two branches were merged that each changed its state: say which holds with yoi ticket status ${this.#id} STATE --reason TEXT.`,
      { line: this.#contestedLine },
    );
  }

  #check(event: TicketEvent, line: number): void {
    switch (event.kind) {
      case "create":
      case "migration":
        return this.#begin(event, line);
      case "state_changed":
      case "close":
      case "reopen":
        return this.#change(event, line);
      case "comment":
      case "plan":
      case "decision":
      case "implementation_report":
        return this.#entry(event.kind, event, line);
      case "review":
        return this.#review(event, line);
      case "link":
      case "unlink":
        return this.#link(event, line);
      case "intake_summary":
        return this.#notEmpty(event, line);
      default:
        // Of another tool: kept, and nobody's to judge.
        return;
    }
  }

  #begin(event: TicketEvent, line: number): void {
    this.#inOrder(event, line);
    if (event.kind === "migration" && event.role !== null && event.role !== "user")
      this.#found.error(
        "role_not_allowed",
        threadName,
        `A Pod with the role ${event.role} may not bring tickets in.`,
        { line },
      );
    const to = event.to ?? "planning";
    if (!isOneOf(ticketStates, to)) this.#badState("to", to, line);
  }

  #change(event: TicketEvent, line: number): void {
    if (!isOfState(event)) return;
    this.#inOrder(event, line);
    const to = event.to ?? impliedTo(event.kind);
    const before = this.#fold.state;
    const from = event.from ?? before ?? undefined;
    if (to === undefined || from === undefined)
      return this.#found.error(
        "event_incomplete",
        threadName,
        `This change of state does not say ${to === undefined ? "to which (to:)" : "from which (from:)"} it was: add it.`,
        { line },
      );
    if (!isOneOf(ticketStates, to)) return this.#badState("to", to, line);
    if (!isOneOf(ticketStates, from)) return this.#badState("from", from, line);
    if (settledBy(event).length > 0) return this.#settled(event, line);
    this.#legal(event, { from, to }, line);
  }

  #settled({ role, kind, reason }: TicketEvent, line: number): void {
    if (role !== "user")
      this.#found.error(
        "human_gate",
        threadName,
        `Only a person says which of two states holds, and this was done as ${role ?? "nobody"}: whoever answers for it looks at what followed.`,
        { line },
      );
    if (kind !== "close" && (reason ?? "") === "")
      this.#found.warning("reason_missing", threadName, "It does not say why this state holds.", { line });
  }

  #legal(event: TicketEvent, { from, to }: { from: TicketState; to: TicketState }, line: number): void {
    const report = (message: string): void =>
      this.#found.error("transition_illegal", threadName, message, { line });
    // Where it was once, another branch went on from there: that is told at the end.
    if (this.#visited.size > 0 && !this.#visited.has(from))
      return report(
        `This goes from ${from} to ${to}, and the ticket was never ${from}: put the events into their order.`,
      );
    const rule = transitionRule(from, to);
    if (rule === undefined)
      return report(`Nobody may bring a ticket from ${from} to ${to}: say in a comment how this came about.`);
    const { role } = event;
    if (role === null) return;
    if (!mayTransition(role, from, to)) {
      if (to !== "queued")
        return report(`A Pod with the role ${role} may not bring a ticket from ${from} to ${to}.`);
      return this.#found.error(
        "human_gate",
        threadName,
        `Only a person queues a ticket, and this was done as ${role}: whoever answers for it looks at what followed.`,
        { line },
      );
    }
    if (rule.needsReason && (event.reason ?? "") === "" && event.body === "")
      this.#found.warning(
        "reason_missing",
        threadName,
        `It does not say why the ticket went from ${from} to ${to}.`,
        {
          line,
        },
      );
    if (to === "done" && role === "orchestrator" && this.#fold.review !== "approve")
      this.#found.error(
        "done_unreviewed",
        threadName,
        "An orchestrator said done, and no review behind the last report approves: have it reviewed.",
        { line },
      );
  }

  #entry(kind: keyof typeof entryRoles, { role, status, body }: TicketEvent, line: number): void {
    if (role !== null && role !== "user" && !entryRoles[kind].includes(role))
      this.#found.error(
        "role_not_allowed",
        threadName,
        `A Pod with the role ${role} may not write a ${kind}.`,
        {
          line,
        },
      );
    // An approval says enough by being one.
    if (kind !== "link" && status !== "approve") this.#notEmpty({ kind, body }, line);
  }

  #notEmpty({ kind, body }: Pick<TicketEvent, "kind" | "body">, line: number): void {
    if (body === "") this.#found.warning("event_empty", threadName, `This ${kind} says nothing.`, { line });
  }

  #review(event: TicketEvent, line: number): void {
    this.#entry("review", event, line);
    const { status = "" } = event;
    if (!isOneOf(reviewStatuses, status))
      return this.#found[isOurs(event) ? "error" : "warning"](
        "review_status",
        threadName,
        `The status of a review is approve or request_changes, and not ${JSON.stringify(status)}.`,
        { line },
      );
    if (event.role !== "user" && this.#fold.reporters.includes(event.author))
      this.#found.error(
        "review_own",
        threadName,
        `${event.author} reviews its own report here: have another do it.`,
        {
          line,
        },
      );
  }

  #link(event: TicketEvent, line: number): void {
    this.#entry("link", event, line);
    const { relation = "", target = "" } = event;
    if (!isOneOf(relationKinds, relation) || !isTicketId(target))
      return this.#found.error(
        "relation_invalid",
        threadName,
        `A relation is blocks, part_of or follows, and its target the id of a ticket: this says ${JSON.stringify(relation)} and ${JSON.stringify(target)}.`,
        { line },
      );
    if (target === this.#id)
      this.#found.error("relation_self", threadName, "A ticket is not related to itself: unlink it.", {
        line,
      });
    const link = `${relation} ${target}`;
    const stands = this.#fold.relations.some((one) => one.relation === relation && one.target === target);
    if (stands === (event.kind === "link"))
      this.#found.warning(
        "relation_duplicate",
        threadName,
        stands ? `This says ${link} again.` : `This takes back ${link}, which did not stand.`,
        { line },
      );
  }

  /** Of comments the order says nothing: a merge puts those of two branches one behind the other. What changes the state stands as it was made, but where the other branch changed it too. */
  #inOrder({ id, kind, from }: TicketEvent, line: number): void {
    if (!isTicketId(id)) return;
    const { standing } = this.#fold;
    const isOfOther =
      standing.length > 1 || (from !== undefined && !standing.some((state) => state === from));
    if (id < this.#lastStepId && isOfOther) return;
    if (id < this.#lastStepId)
      this.#found.warning(
        "event_order",
        threadName,
        `This ${kind} is older than a change of state before it: put the events into their order.`,
        { line },
      );
    else this.#lastStepId = id;
  }

  #badState(attribute: string, value: string, line: number): void {
    this.#found.error(
      "state_invalid",
      threadName,
      `${attribute}: ${JSON.stringify(value)} is no state of a ticket: name one of planning, ready, queued, inprogress, done and closed.`,
      { line },
    );
  }
}

/** Older tools wrote no ids. */
export function isOurs({ id }: TicketEvent): boolean {
  return !id.startsWith("@");
}

function isOneOf<T extends string>(known: readonly T[], text: string): text is T {
  return known.some((one) => one === text);
}

function impliedTo(kind: string): TicketState | undefined {
  return kind === "close" ? "closed" : kind === "reopen" ? "planning" : undefined;
}
