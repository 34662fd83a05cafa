/** The claims of `yoi demo tickets`, each with the evidence that was just produced. */
import type { TicketEvent, TicketState } from "@yoi/tickets";
import type { Claim } from "./claims.ts";
import { type Verified, verifiedEvidence } from "./pods.ts";
import { commitTitles, ticketPods } from "./tickets-steps.ts";

export interface TicketsEvidence {
  /** The thread when the Pods were done, oldest first. */
  readonly events: readonly TicketEvent[];
  /** The coder's attempt to say that it is done: what it was answered; null: it was not refused. */
  readonly refused: string | null;
  /** Writes that were refused: the coder tries one outside of its clone, the reviewer one in it. */
  readonly writesRefused: Readonly<Record<"coder" | "reviewer", number>>;
  /** Commits by the first line of their message: on the branch of the ticket alone, oldest first. */
  readonly commits: readonly string[];
  /** Of the main branch, while the Pods worked. */
  readonly main: { readonly before: string; readonly behindPods: string };
  /** Whether node --test passes. */
  readonly tests: { readonly before: boolean; readonly onBranch: boolean; readonly merged: boolean };
  /** Reported while no process of the orchestrator was alive. */
  readonly reportedAlone: boolean;
  /** Ids of events in the order in which the orchestrator was told of them. */
  readonly told: readonly string[];
  /** Folders in the orchestrator's work folder. */
  readonly clones: readonly string[];
  /** Calls of the orchestrator that merge, push or close. */
  readonly overreach: number;
  readonly states: { readonly behindPods: TicketState; readonly end: TicketState };
  /** How each child's loan ended. */
  readonly loans: readonly string[];
  /** `yoi ticket doctor` found nothing. */
  readonly whole: boolean;
  readonly verified: readonly Verified[];
}

const { lead, coder, reviewer } = ticketPods;
const passing = (passes: boolean): string => (passes ? "pass" : "fail");

export function ticketsClaims(evidence: TicketsEvidence): readonly Claim[] {
  const { events, refused, writesRefused, commits, main, tests, told, clones, states, loans, verified } =
    evidence;
  const moves = events.filter(({ kind }) => kind === "state_changed");
  const queued = moves.find(({ to }) => to === "queued");
  const taken = moves.find(({ to }) => to === "inprogress");
  const rounds = events.filter(({ kind }) => kind === "implementation_report" || kind === "review");
  // What was there when it was started is no news.
  const ofOthers = events.filter(({ author }) => author !== lead).slice(-told.length);
  const isToldOnce = told.length > rounds.length && told.join() === ofOthers.map(({ id }) => id).join();
  return [
    {
      claim: "Work begins where a person queued it",
      holds:
        queued?.role === "user" && taken?.author === lead && moves.indexOf(queued) < moves.indexOf(taken),
      evidence: `queued by ${queued?.author ?? "nobody"} (${queued?.role ?? "none"}), then taken by ${taken?.author ?? "nobody"} (${taken?.role ?? "none"}).`,
    },
    {
      claim: "The coder works on a clone of its own, and does not say itself that it is done",
      holds:
        refused !== null &&
        writesRefused.coder === 1 &&
        writesRefused.reviewer === 1 &&
        main.before === main.behindPods &&
        clones.length === 1,
      evidence: `its attempt was answered: "${refused ?? "(nothing)"}" Writes that were refused: ${writesRefused.coder} of the coder outside of it, ${writesRefused.reviewer} of the reviewer in it. The main branch ${main.before === main.behindPods ? "is" : "is NOT"} where it was.`,
    },
    {
      claim: "Another Pod reviews it, and what it asks for is done",
      holds:
        rounds.map(({ author, status }) => [author, status ?? "report"].join()).join(" ") ===
          `${coder},report ${reviewer},request_changes ${coder},report ${reviewer},approve` &&
        commits.join() === commitTitles.join() &&
        !tests.before &&
        tests.onBranch,
      evidence: `${rounds.map(({ author, status }) => `${author}: ${status ?? "report"}`).join(", ")}; commits: ${commits.join(", ") || "none"}; the tests ${passing(tests.before)} before and ${passing(tests.onBranch)} on the branch.`,
    },
    {
      claim: "A killed orchestrator goes on, and does nothing twice",
      holds: evidence.reportedAlone && isToldOnce && clones.length === 1,
      evidence: `the coder reported ${evidence.reportedAlone ? "while" : "NOT while"} the orchestrator was dead; ${told.length} events of others were told, each ${isToldOnce ? "once" : "NOT once"}; clones: ${clones.length}.`,
    },
    {
      claim: "Merge and close are a person's",
      holds:
        evidence.overreach === 0 && states.behindPods === "done" && states.end === "closed" && tests.merged,
      evidence: `the Pods left the ticket ${states.behindPods}, with ${evidence.overreach} calls that merge, push or close; merged by a person, the tests ${passing(tests.merged)}, and the ticket is ${states.end}.`,
    },
    {
      claim: "What was lent is back, the ticket is whole, and every prompt can be rebuilt",
      holds:
        loans.length === 2 &&
        loans.every((loan) => loan === "stopped") &&
        evidence.whole &&
        verified.length === 3 &&
        verified.every(({ ok, requests }) => ok && requests > 0),
      evidence: `loans: ${loans.join(", ")}; doctor ${evidence.whole ? "found nothing" : "found SOMETHING"}; ${verifiedEvidence(verified)}`,
    },
  ];
}
