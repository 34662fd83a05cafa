/** TreeBudget: what a Pod and its children may use in their whole life, held against what the logs say that they did. */
import {
  addSpent,
  type Budget,
  type BudgetKey,
  type BudgetReached,
  budgetLeft,
  budgetReached,
  canonicalJson,
  messageOf,
  noSpent,
  type Spent,
  usedOf,
} from "@yoi/base";
import type { SessionState } from "@yoi/session-store";
import type { HistoryGate } from "../history/gate.ts";
import { childrenSpentDomain } from "../usage/children-record.ts";
import { ChildrenSpent, type ChildrenSpentStores } from "./children-spent.ts";
import type { OwnRecord } from "./own-record.ts";
import type { PodRef } from "./same-pod.ts";

export interface TreeBudgetParts extends ChildrenSpentStores {
  readonly budget: Budget;
  readonly gate: Pick<HistoryGate, "append"> & {
    readonly state: Pick<SessionState, "spent" | "extensions">;
  };
  readonly record: Pick<OwnRecord, "current">;
  /** A sentence for the user. */
  readonly warn: (text: string) => void;
}

export class TreeBudget {
  readonly #parts: TreeBudgetParts;
  readonly #children: ChildrenSpent;
  /** So that the same trouble is said once. */
  #trouble: string | null = null;
  #isEstimateSaid = false;

  constructor(parts: TreeBudgetParts) {
    this.#parts = parts;
    this.#children = new ChildrenSpent(parts, parts.gate.state.extensions.get(childrenSpentDomain) ?? null);
  }

  /**
   * The budget that leaves nothing for another request; null: there is room. A child's log that cannot be read now counts as it was known last, and the user is told.
   * Throws what the log throws.
   * @param beside what is used and not in the Pod's own log yet.
   */
  async reached(beside: Spent = noSpent): Promise<BudgetReached | null> {
    const spent = addSpent(await this.#spent(), beside);
    this.#sayEstimate(spent);
    return budgetReached(this.#parts.budget, spent);
  }

  #sayEstimate({ estimated_tokens = 0 }: Spent): void {
    const { budget, warn } = this.#parts;
    const isBounded = budget.max_tokens !== null || budget.max_cost_usd !== null;
    if (this.#isEstimateSaid || estimated_tokens === 0 || !isBounded) return;
    this.#isEstimateSaid = true;
    warn(
      "Not everything that was sent was counted by its provider: for that, the budget goes by an estimate of its input.",
    );
  }

  /** The Pod's own and its children's, as far as it was looked at. */
  get known(): Spent {
    return addSpent(this.#parts.gate.state.spent, this.#children.total);
  }

  /** Looks at what children used, and keeps nothing of it. Never throws. */
  look(): Promise<void> {
    return this.#look();
  }

  /** What a new child may use. */
  async left(): Promise<Budget> {
    return budgetLeft(this.#parts.budget, await this.#spent());
  }

  /** What a child may use in its whole life that used something before: that, and what is left. Throws what the stores throw. */
  async leftFor(child: PodRef): Promise<Budget> {
    const before = await this.#children.of(child);
    const left = await this.left();
    const withBefore = (key: BudgetKey): number | null => {
      const rest = left[key];
      return rest === null ? null : rest + usedOf(key, before);
    };
    return {
      max_tokens: withBefore("max_tokens"),
      max_cost_usd: withBefore("max_cost_usd"),
      max_turns: withBefore("max_turns"),
      max_seconds: withBefore("max_seconds"),
    };
  }

  /** The Pod's own and its children's. */
  async #spent(): Promise<Spent> {
    await this.#look();
    await this.#keep();
    return addSpent(this.#parts.gate.state.spent, this.#children.total);
  }

  /** A child's loan comes back: what it used is on record before its log may be removed. Throws what the log throws. */
  async keep(child: PodRef): Promise<void> {
    await this.#look();
    await this.#keep(child);
  }

  async #look(): Promise<void> {
    const { record, warn } = this.#parts;
    try {
      await this.#children.lookAt(record.current);
      this.#trouble = null;
    } catch (error) {
      const trouble = messageOf(error);
      if (trouble !== this.#trouble)
        warn(`What a child used cannot be read, so its last known use counts against the budget: ${trouble}`);
      this.#trouble = trouble;
    }
  }

  /** What children used whose loan came back: their logs may be removed. One that works costs the Pod no write. */
  async #keep(back: PodRef | null = null): Promise<void> {
    const { gate, record } = this.#parts;
    const working = record.current.children.filter(({ session }) => session !== back?.session);
    const recorded = gate.state.extensions.get(childrenSpentDomain) ?? { sessions: {} };
    const payload = this.#children.record(working, recorded);
    if (canonicalJson(payload) === canonicalJson(recorded)) return;
    await gate.append([{ kind: "extension", domain: childrenSpentDomain, payload }]);
  }
}
