/** Approvals: the calls of a Pod that wait for the user, and the answers to them. What counts is what the log says; nothing here outlives it. */
import {
  type AllowedBy,
  type CallId,
  type Clock,
  escapeControls,
  type KeptAnswer,
  type PodName,
  type Timers,
  YoiError,
} from "@yoi/base";
import { approvalReasonCharsMax, type PendingApproval } from "@yoi/protocol";
import type { ClosedApproval, OpenApproval } from "@yoi/session-store";
import type { ApprovalDecision, AskedApproval, CallView, GateDecision } from "@yoi/worker";
import type { HistoryGate } from "../history/gate.ts";
import { type ApprovalDesk, nobodyToAsk } from "../hook/nobody.ts";
import { parseKeptRule } from "../policy/kept-rule.ts";
import type { GatedCall, PermissionGate } from "../policy/permission-gate.ts";
import { approvalDigest } from "./digest.ts";
import type { KeptAnswers, Keeping } from "./kept-answers.ts";
import { pendingOf, subjectOf } from "./pending.ts";
import { refusedBefore } from "./refused-before.ts";
import { type Leaving, type ScopeGrants, wantsToLeave } from "./scope-grants.ts";

/** How long an approval waits, and how long a given one is good for a call that has not started. */
export const approvalMs = 24 * 60 * 60 * 1000;
/** Timers may not count time in which the machine sleeps: the clock is looked at at least this often. */
export const approvalCheckMs = 60_000;

export interface ApprovalAnswer {
  readonly digest: string;
  readonly answer: "allow" | "deny";
  /** Of a denial: the model is told. Null: none is given. */
  readonly reason: string | null;
  /** Of an allow: it counts for more calls than this one. Absent: for this one only. */
  readonly keep?: KeptAnswer;
}

export interface ApprovalsOptions {
  readonly pod: PodName;
  readonly gate: Pick<HistoryGate, "append" | "state">;
  /** Somebody can be asked: calls wait. False: only an answer that is on record already counts. */
  readonly canAsk: boolean;
  readonly asking: {
    readonly permissions: Pick<PermissionGate, "isAskedByModeAlone" | "offers">;
    readonly kept: Pick<KeptAnswers, "begin" | "covering">;
    readonly scope: Pick<ScopeGrants, "allowOnce" | "check" | "givesPath" | "leaving" | "lets" | "sync">;
  };
  readonly clock: Pick<Clock, "now">;
  readonly timers: Pick<Timers, "after">;
}

export class Approvals implements ApprovalDesk {
  readonly #options: ApprovalsOptions;
  /** Calls whose answer is on its way to the disk; each resolves when it is there, or failed. */
  readonly #answering = new Map<CallId, Promise<void>>();
  /** Wakes whoever waits for the answer. */
  readonly #wakers = new Map<CallId, () => void>();
  /** Digests of what was told that its time is over: also a clock that is put back does not undo that. */
  readonly #expired = new Set<string>();
  /** How many answers were kept in this life: behind each, calls that wait are looked at again. */
  #kept = 0;

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  /** What can be answered now, in log order. */
  get pending(): readonly PendingApproval[] {
    const { gate, pod } = this.#options;
    return pendingOf(gate.state, pod).filter((one) => {
      const open = this.#byDigest(one.digest);
      return open !== undefined && !this.#isOver(open);
    });
  }

  /** Whether it makes sense to ask about the call: it can wait, or what was asked is answered, or an answer to another call lets it through. */
  async mayAsk(id: CallId, call: GatedCall): Promise<boolean> {
    const { canAsk } = this.#options;
    return canAsk || (this.#byCall(id)?.answer ?? null) !== null || (await this.#covering(call)) !== null;
  }

  leaving(call: GatedCall): Promise<Leaving | null> {
    return this.#options.asking.scope.leaving(call);
  }

  async judged(view: CallView, wants: string | null): Promise<GateDecision> {
    const { gate, pod, canAsk, asking } = this.#options;
    const { scope } = asking;
    const { call, name: tool, args } = view;
    const open = this.#byCall(call);
    // Rules may let it through by now: what a person was asked still waits for the answer, and a no to this very call stands.
    const isOwed = open !== undefined && open.answer === null && !this.#isOver(open);
    const wanted = wants ?? (isOwed ? open.reason : null);
    if (wanted === null)
      return open?.answer?.answer === "deny" ? refusedByUser(open.answer.reason) : allowed(scope.lets(view));
    const digest = approvalDigest({ pod, segment: gate.state.segment, call, tool, arguments: args });
    if (open?.digest === digest && (canAsk || open.answer !== null))
      return { action: "ask", approval: askedAgain(open) };
    const leaving = await scope.leaving(view);
    if (leaving?.kind === "refused") return { action: "deny", reason: leaving.reason, refusal: "denied" };
    const by = leaving === null ? await this.#covering(view) : null;
    if (by !== null) return allowed([by, ...scope.lets(view).filter(({ id }) => id !== by.id)]);
    const refused = refusedBefore(gate.state, pod, { tool, arguments: args });
    if (refused !== null)
      return refusedByUser(refused.reason, "this call before, and nothing was said since");
    if (!canAsk) return { action: "deny", reason: nobodyToAsk(wanted), refusal: "asked" };
    return { action: "ask", approval: await this.#asking(view, { wanted, digest, leaving }) };
  }

  async #asking(
    view: CallView,
    {
      wanted,
      digest,
      leaving,
    }: { wanted: string; digest: string; leaving: (Leaving & { kind: "ask" }) | null },
  ): Promise<AskedApproval> {
    const { clock, asking } = this.#options;
    const offers = leaving === null ? await asking.permissions.offers(view) : leaving.offers;
    return {
      reason: wanted,
      digest,
      expires: clock.now() + approvalMs,
      ...(offers.length === 0 ? {} : { offers }),
      ...(leaving === null ? {} : { wish: leaving.wish }),
    };
  }

  /** Resolves when the call may start, or may not for good; rejects when the signal aborts. */
  async decided(view: CallView, asked: AskedApproval, signal: AbortSignal): Promise<ApprovalDecision> {
    const { gate, pod, clock } = this.#options;
    const { call } = view;
    // An allow that nobody used in time is not good for ever; a no is.
    const isDenied = this.#byCall(call)?.answer?.answer === "deny";
    if (clock.now() >= asked.expires && !isDenied) return this.#expire(asked);
    for (;;) {
      signal.throwIfAborted();
      const open = this.#byCall(call);
      if (open?.digest !== asked.digest || subjectOf(gate.state, pod, open) === null) {
        const reason = "Refused: what was asked is not what the log says of this call. Nothing was done.";
        return { action: "deny", reason, refusal: "denied" };
      }
      if (open.answer !== null) {
        if (open.answer.answer === "deny") return refusedByUser(open.answer.reason);
        if (open.wish !== null) this.#options.asking.scope.allowOnce(call, open.wish, open.offers);
        return { action: "allow" };
      }
      const answering = this.#answering.get(call);
      // An answer that was taken in time counts, though it is durable later.
      if (answering !== undefined) await answering;
      else if (clock.now() >= asked.expires) return this.#expire(asked);
      else {
        const kept = this.#kept;
        const by = await this.#nowAllowing(view, open);
        signal.throwIfAborted();
        const isAnswered = this.#answering.has(call) || this.#byCall(call)?.answer !== null;
        if (by !== null && !isAnswered) await this.#answerBy(open, by);
        else if (!isAnswered && kept === this.#kept)
          await this.#woken(call, asked.expires - clock.now(), signal);
      }
    }
  }

  /** What the user allowed for more calls since this one was asked about, where that lets it start; null: it waits still. */
  async #nowAllowing(view: CallView, { wish, reason }: OpenApproval): Promise<AllowedBy | null> {
    const { scope } = this.#options.asking;
    if ((await scope.leaving(view)) !== null) return null;
    // Somebody may have wanted the user for more than that.
    const asksOnlyToLeave = wish !== null && reason === wantsToLeave(wish);
    return asksOnlyToLeave ? scope.givesPath(view) : this.#covering(view);
  }

  /** What lets a call through that stays in the scope and that somebody would be asked about. A path that the user gave answers a mode too, and no rule. */
  async #covering(call: GatedCall): Promise<AllowedBy | null> {
    const { permissions, kept, scope } = this.#options.asking;
    const by = await kept.covering(call);
    if (by !== null) return by;
    const path = scope.givesPath(call);
    return path !== null && (await permissions.isAskedByModeAlone(call)) ? path : null;
  }

  /** With what beside its own answer: a command may write wherever answers let the Pod write. For a path the answer was its own. */
  started(view: CallView): Extract<ApprovalDecision, { readonly action: "allow" }> {
    const { scope } = this.#options.asking;
    const by = scope.givesPath(view) === null ? scope.lets(view) : [];
    return by.length === 0 ? { action: "allow" } : { action: "allow", by };
  }

  async #answerBy({ call, digest }: OpenApproval, by: AllowedBy): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#answering.set(call, done.promise);
    try {
      await this.#options.gate.append([
        { kind: "approval_answered", call, digest, answer: "allow", allowed_by: [by] },
      ]);
    } finally {
      this.#answering.delete(call);
      done.resolve();
    }
  }

  /**
   * Resolves with the seq of the answer, once it is durable, and what it keeps too. Throws approval_unknown with the reason why it does not count, limit_exceeded
   * for a reason over `approvalReasonCharsMax` and for one more than can be kept, usage for what cannot be kept of it, scope_conflict where another Pod may write
   * what it would let this one write.
   */
  async answer({ digest, answer, reason, keep }: ApprovalAnswer): Promise<number> {
    if (keep !== undefined && answer === "deny")
      throw new YoiError("usage", "A denial is good for this call only: only what is allowed can be kept.");
    if (reason !== null && reason.length > approvalReasonCharsMax) {
      throw new YoiError(
        "limit_exceeded",
        `The reason has ${reason.length} characters: give at most ${approvalReasonCharsMax}.`,
      );
    }
    let call = this.#answerable(digest);
    for (let before = this.#answering.get(call); before !== undefined; before = this.#answering.get(call)) {
      await before;
      call = this.#answerable(digest);
    }
    const done = Promise.withResolvers<void>();
    this.#answering.set(call, done.promise);
    this.#wakers.get(call)?.();
    try {
      const keeping = keep === undefined ? null : await this.#keep(digest, keep);
      const why = answer === "deny" && reason !== null ? { reason } : {};
      const kept = keeping === null ? {} : { keep: keeping.keep };
      const [entry] = await this.#options.gate
        .append([{ kind: "approval_answered", call, digest, answer, ...why, ...kept }])
        .catch(async (error: unknown) => {
          // Where nobody knows whether it is on record, that is seen when the Pod is opened again, and so is what becomes of a grant.
          if (error instanceof YoiError && error.code !== "log_poisoned") await keeping?.undo();
          throw error;
        });
      if (entry === undefined) throw new Error("a batch of one entry came back empty");
      if (!this.#counts(digest, entry.seq)) {
        await keeping?.undo();
        throw unknown(`The call ${call} was closed before the answer was on record: nothing came of it.`);
      }
      if (keeping !== null) {
        await keeping.done();
        await this.#options.asking.scope.sync();
        this.#kept += 1;
        for (const wake of this.#wakers.values()) wake();
      }
      return entry.seq;
    } finally {
      this.#answering.delete(call);
      done.resolve();
    }
  }

  async #keep(digest: string, keep: KeptAnswer): Promise<Keeping> {
    const { gate, pod, asking } = this.#options;
    const open = this.#byDigest(digest);
    const subject = open === undefined ? null : subjectOf(gate.state, pod, open);
    if (open === undefined || subject === null) throw unknown(this.#whyGone(digest));
    const rule = parseKeptRule(keep.rule);
    if (rule?.kind === "path" && open.offers.includes(keep.rule)) await asking.scope.check(rule.rule);
    return asking.kept.begin(keep, open, { tool: subject.tool, about: JSON.stringify(subject.arguments) });
  }

  /** The call that waits for this answer. */
  #answerable(digest: string): CallId {
    const { gate, pod } = this.#options;
    const open = this.#byDigest(digest);
    if (open === undefined) throw unknown(this.#whyGone(digest));
    const { call, answer } = open;
    if (answer !== null) {
      throw unknown(
        `The approval of ${call} was answered already (${answer.answer}): it is good for one answer.`,
      );
    }
    if (this.#isOver(open)) {
      throw unknown(`The approval of ${call} expired: the call counts as refused.`);
    }
    if (subjectOf(gate.state, pod, open) === null) {
      throw unknown(
        `The approval of ${call} is not about what the log says of this call: cancel the run to close it.`,
      );
    }
    return call;
  }

  #whyGone(digest: string): string {
    const { gate, pod } = this.#options;
    const closed: ClosedApproval | undefined = gate.state.closedApprovals.get(digest);
    switch (closed?.by) {
      case undefined:
        return `No call of the Pod ${pod} waits for an approval with this digest: it may be of another Pod, of other arguments, or from before the session went on in another segment, where the call is asked about anew.`;
      case "start":
        return `The approval of ${closed.call} was used: its call has started.`;
      case "result":
        return `The approval of ${closed.call} is over: its call has its result, without having started.`;
    }
  }

  #counts(digest: string, seq: number): boolean {
    const open = this.#byDigest(digest);
    return (open?.answer ?? this.#options.gate.state.closedApprovals.get(digest)?.answer)?.seq === seq;
  }

  #expire({ digest, reason }: AskedApproval): ApprovalDecision {
    this.#expired.add(digest);
    const hours = approvalMs / 3_600_000;
    return {
      action: "deny",
      reason: `Permission needed: ${reason}, and nobody allowed it within ${hours} hours. Nothing was done.`,
      refusal: "asked",
    };
  }

  #isOver({ digest, expires }: OpenApproval): boolean {
    return this.#expired.has(digest) || this.#options.clock.now() >= expires;
  }

  #woken(call: CallId, leftMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        endTimer();
        signal.removeEventListener("abort", wake);
        this.#wakers.delete(call);
        resolve();
      };
      const endTimer = this.#options.timers.after(Math.min(leftMs, approvalCheckMs), wake);
      signal.addEventListener("abort", wake, { once: true });
      this.#wakers.set(call, wake);
    });
  }

  #byCall(call: CallId): OpenApproval | undefined {
    return this.#options.gate.state.approvals.find((one) => one.call === call);
  }

  #byDigest(digest: string): OpenApproval | undefined {
    return this.#options.gate.state.approvals.find((one) => one.digest === digest);
  }
}

/** As it is on record: what was asked once is not asked in other words. */
function askedAgain({ reason, digest, expires, offers, wish }: OpenApproval): AskedApproval {
  return {
    reason,
    digest,
    expires,
    ...(offers.length === 0 ? {} : { offers }),
    ...(wish === null ? {} : { wish }),
  };
}

function allowed(by: readonly AllowedBy[]): GateDecision {
  return by.length === 0 ? { action: "allow" } : { action: "allow", by };
}

function refusedByUser(
  reason: string | null,
  what = "this call",
): ApprovalDecision & { readonly action: "deny" } {
  const why =
    reason === null || reason.trim() === "" ? "" : `: ${escapeControls(reason.trim()).replace(/\.$/, "")}`;
  return { action: "deny", reason: `The user refused ${what}${why}. Nothing was done.`, refusal: "denied" };
}

function unknown(message: string): YoiError {
  return new YoiError("approval_unknown", message);
}
