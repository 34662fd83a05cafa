/** Where nobody can be asked: a call that wants a person is refused at once. */
import {
  type ApprovalDecision,
  type GateDecision,
  type LoopPoints,
  noPoints,
  type CallView,
} from "@yoi/worker";

/** Whoever asks the user about calls. */
export interface ApprovalDesk {
  /** What becomes of a call that every gate let through, as far as they can. `wants`: who wants a person to allow it, as the start of a sentence; null: nobody does. */
  judged(view: CallView, wants: string | null): Promise<GateDecision>;
  readonly decided: LoopPoints["approval"];
  /** Of one that starts behind an answer of the user: what else lets it. */
  started(view: CallView): Extract<ApprovalDecision, { readonly action: "allow" }>;
}

export const nobody: ApprovalDesk = {
  judged: async (_view, wants) =>
    wants === null ? { action: "allow" } : { action: "deny", reason: nobodyToAsk(wants), refusal: "asked" },
  decided: noPoints.approval,
  started: () => ({ action: "allow" }),
};

/** What is said where a person would have to allow it, and none is there. */
export function nobodyToAsk(wants: string): string {
  return `Permission needed: ${wants}, and nobody can be asked now. Nothing was done.`;
}
