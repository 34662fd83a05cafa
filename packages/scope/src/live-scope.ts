/** LiveScope: what a Pod may touch at this moment, while parts of it are lent and come back, and the user grants it more. */
import { AsyncLocalStorage } from "node:async_hooks";
import { type Loan, type Scope, type ScopeRule, type Timers, YoiError } from "@yoi/base";
import { overlapping } from "./algebra.ts";
import { effectiveScope } from "./loans.ts";
import { scopeRulesMax } from "./rule.ts";

/** How long a lend waits for work that could still write what is lent. */
export const lendWaitMs = 30_000;

/** Work that goes on, and may write wherever the scope lets it at any moment until it ends. */
interface Holder {
  /** For people: `Bash (12.0)`. */
  readonly what: string;
}

/** What one call may touch beyond the scope, and the scope that this makes of the one that it was made of. */
interface Wider {
  readonly rule: ScopeRule;
  of: Scope | null;
  scope: Scope;
}

export class LiveScope {
  /** What it was opened with: all that it can lend. */
  readonly own: Scope;
  readonly #grants = new Map<string, ScopeRule>();
  readonly #ofCall = new AsyncLocalStorage<Wider>();
  readonly #loans = new Map<string, Loan>();
  readonly #holders = new Set<Holder>();
  readonly #left = new Set<() => void>();
  #current: Scope;

  constructor(own: Scope, loans: readonly Loan[] = []) {
    this.own = own;
    for (const loan of loans) this.#loans.set(loan.id, loan);
    this.#current = effectiveScope(own, loans);
  }

  /** Asked anew for each file and each command: a value that is kept grows stale. */
  get current(): Scope {
    const wider = this.#ofCall.getStore();
    if (wider === undefined) return this.#current;
    if (wider.of !== this.#current) {
      wider.scope = effectiveScope(widened(this.ceiling, [wider.rule]), this.loans);
      wider.of = this.#current;
    }
    return wider.scope;
  }

  /** Everything that this Pod could hold: without its loans, with what the user granted it. */
  get ceiling(): Scope {
    return this.#grants.size === 0 ? this.own : widened(this.own, this.#grants.values());
  }

  /** What it holds and could lend on: nothing of what the user granted to it alone. */
  get lendable(): Scope {
    return effectiveScope(this.own, this.loans);
  }

  /** By their ids, in the order in which they were granted. */
  get grants(): ReadonlyMap<string, ScopeRule> {
    return this.#grants;
  }

  /** From now on, also for what goes on already. Its denies stay, and what it lends. Throws limit_exceeded. */
  grant(id: string, rule: ScopeRule): void {
    const { allow, deny } = this.ceiling;
    if (!this.#grants.has(id) && allow.length + deny.length >= scopeRulesMax)
      throw new YoiError(
        "limit_exceeded",
        `The scope of this Pod has ${scopeRulesMax} rules already: take grants back with \`yoi grant revoke\`.`,
      );
    this.#grants.set(id, rule);
    this.#current = effectiveScope(this.ceiling, this.loans);
  }

  /** For what begins from now on. False, and nothing is done: it is not granted. */
  revokeGrant(id: string): boolean {
    if (!this.#grants.delete(id)) return false;
    this.#current = effectiveScope(this.ceiling, this.loans);
    return true;
  }

  /** Work, and whatever it begins, sees the rule in `current`; nothing else does. */
  during<T>(rule: ScopeRule, work: () => T): T {
    return this.#ofCall.run({ rule, of: null, scope: this.#current }, work);
  }

  /** Resolves when none of the work goes on that goes on now: it may write where it could when it began. Null: there is none. */
  ended(): Promise<void> | null {
    const now = [...this.#holders];
    if (now.length === 0) return null;
    return new Promise((resolve) => {
      const look = (): void => {
        if (now.some((holder) => this.#holders.has(holder))) return;
        this.#left.delete(look);
        resolve();
      };
      this.#left.add(look);
      look();
    });
  }

  /** The open loans, in the order in which they were made. */
  get loans(): readonly Loan[] {
    return [...this.#loans.values()];
  }

  /** Work begins that may write: where the scope lets it now, and what comes back to it meanwhile. Returns how it ends. */
  enter(what: string): () => void {
    const holder: Holder = { what };
    this.#holders.add(holder);
    return () => {
      if (!this.#holders.delete(holder)) return;
      for (const left of this.#left) left();
    };
  }

  /**
   * Withdraws at once what the loan lets its borrower write, and resolves when no work goes on that began before: what is there to lend, that could write.
   * Where that takes longer than `waitMs`, or the signal aborts, the write is given back and it throws loan_refused, naming the work, or the signal's reason.
   * A loan of nothing that could be written here waits for nobody; one that would make more than `scopeRulesMax` rules is refused at once.
   */
  async lend(
    loan: Loan,
    { timers, signal, waitMs = lendWaitMs }: { timers: Timers; signal: AbortSignal; waitMs?: number },
  ): Promise<void> {
    this.#checkRules(loan);
    this.#put(loan);
    try {
      await this.#quiet(loan, timers, signal, waitMs);
    } catch (error) {
      this.takeBack(loan.id);
      throw error;
    }
  }

  /** Gives back what the loan withdrew; false, and nothing is done: it is not open. */
  takeBack(loan: string): boolean {
    if (!this.#loans.delete(loan)) return false;
    this.#current = effectiveScope(this.ceiling, this.loans);
    return true;
  }

  #checkRules(loan: Loan): void {
    const { allow, deny } = effectiveScope(this.ceiling, [...this.loans, loan]);
    if (allow.length + deny.length <= scopeRulesMax) return;
    throw new YoiError(
      "loan_refused",
      `This loan would make ${allow.length + deny.length} rules of the lender's scope, and the most is ${scopeRulesMax}: lend directories that hold what is asked for, or take a loan back first.`,
    );
  }

  #put(loan: Loan): void {
    this.#loans.set(loan.id, loan);
    this.#current = effectiveScope(this.ceiling, this.loans);
  }

  async #quiet(loan: Loan, timers: Timers, signal: AbortSignal, waitMs: number): Promise<void> {
    signal.throwIfAborted();
    const before = overlapping(this.ceiling, loan.scope) ? [...this.#holders] : [];
    const writing = (): readonly Holder[] => before.filter((holder) => this.#holders.has(holder));
    if (before.length === 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = (): void => {
      if (writing().length === 0) resolve();
    };
    const stop = (): void => reject(signal.reason);
    this.#left.add(look);
    signal.addEventListener("abort", stop, { once: true });
    const cancel = timers.after(waitMs, () => reject(stillWriting(writing())));
    try {
      await promise;
    } finally {
      cancel();
      this.#left.delete(look);
      signal.removeEventListener("abort", stop);
    }
  }
}

function widened({ allow, deny }: Scope, rules: Iterable<ScopeRule>): Scope {
  return { allow: [...allow, ...[...rules].map((rule) => ({ ...rule, granted: true as const }))], deny };
}

function stillWriting(holders: readonly Holder[]): YoiError {
  const works = holders.map(({ what }) => what).join(", ");
  return new YoiError(
    "loan_refused",
    `What was to be lent can still be written by work that goes on (${works}): wait until it ends, or cancel it, then lend again.`,
  );
}
