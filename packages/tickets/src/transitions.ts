/** The states of a ticket, and who may bring it from which to which. One table; everybody who asks, asks here. */
import type { PodRole, TicketRole, TicketState } from "./ticket.ts";

interface TransitionRule {
  readonly from: TicketState;
  readonly to: TicketState;
  /** Beside the user, who may make every legal one. */
  readonly pods: readonly PodRole[];
  /** It goes back, or ends the work undone: the record has to say why. */
  readonly needsReason: boolean;
}

function rule(
  from: TicketState,
  to: TicketState,
  pods: readonly PodRole[],
  needsReason = false,
): TransitionRule {
  return { from, to, pods, needsReason };
}

/** What is not here is refused, whoever asks. To `queued` only a person brings a ticket: that is the human gate. */
export const transitionRules: readonly TransitionRule[] = [
  rule("planning", "ready", ["intake"]),
  rule("ready", "queued", []),
  rule("queued", "inprogress", ["orchestrator"]),
  rule("inprogress", "done", ["orchestrator"]),
  rule("ready", "planning", ["intake", "orchestrator"], true),
  rule("queued", "planning", ["orchestrator"], true),
  rule("queued", "ready", [], true),
  rule("inprogress", "planning", ["orchestrator"], true),
  rule("done", "inprogress", ["orchestrator"], true),
  rule("planning", "closed", []),
  rule("ready", "closed", []),
  rule("queued", "closed", []),
  rule("inprogress", "closed", []),
  // An orchestrator only where a person delegated it.
  rule("done", "closed", ["orchestrator"]),
  rule("closed", "planning", [], true),
];

/** Undefined: no such transition is legal. */
export function transitionRule(from: TicketState, to: TicketState): TransitionRule | undefined {
  return transitionRules.find((one) => one.from === from && one.to === to);
}

/** By role alone; what else a gate asks is the store's. */
export function mayTransition(role: TicketRole, from: TicketState, to: TicketState): boolean {
  const found = transitionRule(from, to);
  return found !== undefined && (role === "user" || found.pods.includes(role));
}

/** Which roles may write which entry; the user may write each. */
export const entryRoles: Readonly<
  Record<"comment" | "plan" | "decision" | "implementation_report" | "review" | "link", readonly PodRole[]>
> = {
  comment: ["intake", "orchestrator", "coder", "reviewer"],
  plan: ["intake", "orchestrator", "coder"],
  decision: ["intake", "orchestrator"],
  implementation_report: ["orchestrator", "coder"],
  review: ["reviewer"],
  link: ["intake", "orchestrator"],
};
