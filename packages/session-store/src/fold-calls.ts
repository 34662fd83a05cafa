/** Calls: those without a result, and what was asked about them. A part of the fold. */
import type { ApprovalAnswered, ApprovalAsked, CallId, ToolCall, UnansweredCall } from "@yoi/base";
import type { ClosedApproval, OpenApproval } from "./session-state.ts";

export class Calls {
  readonly #unanswered = new Map<CallId, UnansweredCall>();
  readonly #approvals = new Map<CallId, OpenApproval>();
  readonly closedApprovals = new Map<string, ClosedApproval>();

  /** In the order in which the model made the calls. */
  get unanswered(): readonly UnansweredCall[] {
    return [...this.#unanswered.values()];
  }
  get approvals(): readonly OpenApproval[] {
    return [...this.#approvals.values()];
  }

  made({ call, name, arguments: text }: ToolCall): void {
    this.#unanswered.set(call, { call, name, arguments: text, started: false });
  }

  started(call: CallId): void {
    const open = this.#unanswered.get(call);
    if (open !== undefined) this.#unanswered.set(call, { ...open, started: true });
    this.#closeApproval(call, "start");
  }

  answered(call: CallId): void {
    this.#unanswered.delete(call);
    this.#closeApproval(call, "result");
  }

  asked(entry: ApprovalAsked & { readonly seq: number }): void {
    const { seq, call, digest, reason, expires, offers = [], wish = null } = entry;
    this.#approvals.delete(call);
    this.#approvals.set(call, { seq, call, digest, reason, expires, offers, wish, answer: null });
  }

  /** Whether it counts: another answer before it does, and none of a call that is closed. */
  decided(entry: ApprovalAnswered & { readonly seq: number }): boolean {
    const open = this.#approvals.get(entry.call);
    if (open?.digest !== entry.digest || open.answer !== null) return false;
    const { seq, answer, reason = null } = entry;
    this.#approvals.set(entry.call, { ...open, answer: { seq, answer, reason } });
    return true;
  }

  #closeApproval(call: CallId, by: ClosedApproval["by"]): void {
    const open = this.#approvals.get(call);
    if (open === undefined) return;
    this.#approvals.delete(call);
    this.closedApprovals.set(open.digest, { call, by, answer: open.answer });
  }
}
