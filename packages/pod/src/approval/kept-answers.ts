/** KeptAnswers: what the user's answers let through beyond the calls that they were given for: those of this session, from its log, and grants. */
import {
  type AllowedBy,
  type Clock,
  type Ids,
  type KeptAnswer,
  type KeptOnAnswer,
  type PodName,
  YoiError,
} from "@yoi/base";
import type { OpenApproval } from "@yoi/session-store";
import type { HistoryGate } from "../history/gate.ts";
import type { GatedCall, PermissionGate } from "../policy/permission-gate.ts";
import { type KeptRule, parseKeptRule } from "../policy/kept-rule.ts";
import type { Grant, GrantBook } from "./granting.ts";

/** Answers that one session keeps, those that are grants and those whose time is over included. */
export const sessionKeptMax = 256;

export interface KeptAnswersOptions {
  readonly pod: PodName;
  readonly workspace: string;
  /** A child goes by its own session alone: what its user granted for always is for Pods that nobody lends to. */
  readonly isChild: boolean;
  readonly gate: Pick<HistoryGate, "state">;
  readonly permissions: Pick<PermissionGate, "isKept">;
  /** Null: nothing is kept for longer than a session. */
  readonly grants: GrantBook | null;
  readonly clock: Pick<Clock, "now">;
  readonly ids: Pick<Ids, "uuidV7">;
  /** A sentence for the user. */
  readonly warn: (text: string) => void;
}

/** What lets something through now. */
export interface InForce {
  readonly by: AllowedBy;
  readonly rule: KeptRule;
}

/** An answer that is about to be on record. */
export interface Keeping {
  /** As it is to be on record. */
  readonly keep: KeptOnAnswer;
  /** It is on record: from now on it counts. What keeps it from counting for longer than this call is an alert. Never throws. */
  done(): Promise<void>;
  /** It never will be. Throws nothing: a grant that stays pending lets nothing through. */
  undo(): Promise<void>;
}

export class KeptAnswers {
  readonly #options: KeptAnswersOptions;
  readonly #told = new Set<string>();

  constructor(options: KeptAnswersOptions) {
    this.#options = options;
  }

  /** Those of the session first. Read anew each time: what was taken back counts no more. */
  async inForce(): Promise<readonly InForce[]> {
    const now = this.#options.clock.now();
    const session = this.#options.gate.state.kept
      .filter(({ keep }) => keep.for === "session" && (keep.expires ?? Infinity) > now)
      .flatMap(({ id, keep }) => inForce("session", id, keep.rule));
    const grants = (await this.#grants())
      .filter((grant) => grant.state === "given" && (grant.expires ?? Infinity) > now)
      .flatMap(({ id, rule }) => inForce("always", id, rule));
    return [...session, ...grants];
  }

  /** What lets a call through that somebody would be asked about; null: nothing does. */
  async covering(call: GatedCall): Promise<AllowedBy | null> {
    for (const { by, rule } of await this.inForce())
      if (rule.kind === "call" && (await this.#options.permissions.isKept(rule, call))) return by;
    return null;
  }

  /**
   * Before the answer is on record: what it grants for always stands in keep, and lets nothing through yet. Throws usage for what cannot be kept of this
   * approval, limit_exceeded, and what keeps it from being written.
   */
  async begin(
    keep: KeptAnswer,
    { offers, digest }: Pick<OpenApproval, "offers" | "digest">,
    { tool, about }: Pick<Grant, "tool" | "about">,
  ): Promise<Keeping> {
    const { gate, clock, ids, pod, workspace } = this.#options;
    const { rule, expires = null } = keep;
    if (!offers.includes(rule)) throw notOffered(offers);
    if (expires !== null && expires <= clock.now())
      throw new YoiError("usage", "The time until which it is to count is over already: give a later one.");
    if (gate.state.kept.length >= sessionKeptMax)
      throw new YoiError(
        "limit_exceeded",
        `This session keeps ${sessionKeptMax} answers, and no more: allow the call once, or put a rule into your config.toml.`,
      );
    if (keep.for === "session") return { keep, done: async () => {}, undo: async () => {} };
    const grants = this.#store();
    const grant: Grant = {
      id: ids.uuidV7(),
      state: "pending",
      rule,
      workspace: keep.everywhere === true ? null : workspace,
      expires,
      given: clock.now(),
      pod,
      digest,
      tool,
      about,
    };
    await grants.put(grant);
    return {
      keep: { ...keep, grant: grant.id },
      done: () => this.#given(grants, grant),
      undo: async () => {
        try {
          await grants.remove(grant.id);
        } catch (error) {
          this.#failed(error);
        }
      },
    };
  }

  /** At the Pod's opening: of what an earlier owner was about to grant, that counts whose answer is on record; of the rest nothing stays. Never throws. */
  async reconcile(): Promise<void> {
    const { grants, pod, gate } = this.#options;
    if (grants === null) return;
    const recorded = new Set(gate.state.kept.map(({ keep }) => keep.grant));
    try {
      for (const grant of (await grants.list()).grants) {
        if (grant.state !== "pending" || grant.pod !== pod) continue;
        if (recorded.has(grant.id)) await grants.put({ ...grant, state: "given" });
        else await grants.remove(grant.id);
      }
    } catch (error) {
      this.#failed(error);
    }
  }

  async #given(grants: GrantBook, grant: Grant): Promise<void> {
    try {
      await grants.put({ ...grant, state: "given" });
    } catch (error) {
      if (!(error instanceof YoiError)) throw error;
      this.#warn(
        `The answer counts for this call, and its grant when this Pod is opened again: ${error.message}`,
      );
    }
  }

  #store(): GrantBook {
    const { grants, isChild } = this.#options;
    if (isChild)
      throw new YoiError(
        "usage",
        "A child keeps answers for its session only: what is granted for always is for Pods without a parent.",
      );
    if (grants === null) throw new YoiError("usage", "This Pod keeps answers for its session only.");
    return grants;
  }

  /** Of this workspace. */
  async #grants(): Promise<readonly Grant[]> {
    const { grants, isChild, workspace } = this.#options;
    if (grants === null || isChild) return [];
    try {
      const { grants: all, problems } = await grants.list();
      for (const problem of problems) this.#warn(problem);
      return all.filter((grant) => grant.workspace === null || grant.workspace === workspace);
    } catch (error) {
      this.#failed(error);
      return [];
    }
  }

  /** What cannot be read lets nothing through. */
  #failed(error: unknown): void {
    if (!(error instanceof YoiError)) throw error;
    this.#warn(`What you granted cannot be read now, so it lets nothing through: ${error.message}`);
  }

  /** Once. */
  #warn(sentence: string): void {
    if (this.#told.has(sentence)) return;
    this.#told.add(sentence);
    this.#options.warn(sentence);
  }
}

function inForce(how: AllowedBy["for"], id: string, text: string): readonly InForce[] {
  const rule = parseKeptRule(text);
  return rule === null ? [] : [{ by: { for: how, id, rule: text }, rule }];
}

function notOffered(offers: readonly string[]): YoiError {
  const known = offers.map((offer, index) => `${index + 1}: ${offer}`).join("; ");
  return new YoiError(
    "usage",
    offers.length === 0
      ? "No rule is offered for this call, so the answer counts for it alone: allow it once."
      : `The rule is none of those that are offered for this call (${known}): name one of them.`,
  );
}
