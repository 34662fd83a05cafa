/** GrantedRow: what answers let the Pod write, in the registry and in its metadata, from which a registry that was lost is made anew. */
import { messageOf, type Scope, type ScopeRule, YoiError } from "@yoi/base";
import type { LiveScope } from "@yoi/scope";

/** Stores what answers let the Pod write. */
export type StoreGranted = (rules: readonly ScopeRule[]) => Promise<unknown>;

export interface GrantedRowOptions {
  readonly scope: Pick<LiveScope, "ceiling" | "ended" | "grants">;
  /** The registry's row: one live writer for any path. Both throw scope_conflict. */
  readonly row: {
    /** Whether it could hold this, for nothing. */
    check(ceiling: Scope): Promise<void>;
    hold(ceiling: Scope): Promise<void>;
  };
  readonly warn: (text: string) => void;
}

/** Its verbs are called one at a time. */
export class GrantedRow {
  readonly #options: GrantedRowOptions;
  /** Beside what is granted: rules of calls that run, and those taken back while work goes on that began with them. */
  readonly #inUse = new Set<ScopeRule>();
  #store: StoreGranted = async () => {};
  /** As it is stored, in JSON. */
  #stored = "[]";
  #isClosed = false;

  constructor(options: GrantedRowOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @param stored by an earlier owner */
  follow(store: StoreGranted, stored: readonly ScopeRule[]): void {
    this.#store = store;
    this.#stored = JSON.stringify(stored);
  }

  /** The row goes as a whole: nothing is taken in it, nor given back, from now on. */
  close(): void {
    this.#isClosed = true;
  }

  check(rule: ScopeRule): Promise<void> {
    return this.#options.row.check(this.#ceiling([rule]));
  }

  /** Before the rule counts. Throws scope_conflict, and what keeps it from being stored. */
  async widen(rule: ScopeRule): Promise<void> {
    if (rule.permission !== "write") return;
    if (this.#isClosed) throw new YoiError("cancelled", "The Pod is closing: it takes nothing more.");
    // What is refused again and again, while another Pod works there, is written nowhere.
    await this.check(rule);
    await this.#keep([rule]);
    await this.#options.row.hold(this.#ceiling([rule]));
  }

  /** What is stored is what is held; never throws YoiErrors. More than that keeps others out, and lets nobody in. */
  async narrow(): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#options.row.hold(this.#ceiling([]));
      await this.#keep([]);
    } catch (error) {
      if (!(error instanceof YoiError)) throw error;
      this.#options.warn(`The registry does not know yet that this Pod may write less: ${error.message}`);
    }
  }

  /** Also what an earlier owner left, or what was stored and then could not be held. */
  async settle(): Promise<void> {
    if (this.#stored !== JSON.stringify(this.#writes([]))) await this.narrow();
  }

  /** Held as long as the work goes on. */
  async during<T>(rule: ScopeRule, inTurn: InTurn, work: () => Promise<T>): Promise<T> {
    await inTurn(async () => {
      await this.widen(rule);
      this.#inUse.add(rule);
    });
    try {
      return await work();
    } finally {
      this.#inUse.delete(rule);
      if (rule.permission === "write") await inTurn(() => this.narrow());
    }
  }

  /** What begins from now on is without the rules; what goes on may write there until it ends, and no other Pod may before. */
  async takeBack(rules: readonly ScopeRule[], inTurn: InTurn): Promise<void> {
    const written = rules.filter(isWrite);
    if (written.length === 0) return;
    const ended = this.#options.scope.ended();
    if (ended === null) return this.narrow();
    for (const rule of written) this.#inUse.add(rule);
    ended
      .then(() => {
        for (const rule of written) this.#inUse.delete(rule);
        return inTurn(() => this.narrow());
      })
      .catch((error: unknown) => this.#options.warn(messageOf(error)));
  }

  async #keep(more: readonly ScopeRule[]): Promise<void> {
    const rules = this.#writes(more);
    const text = JSON.stringify(rules);
    if (text === this.#stored) return;
    await this.#store(rules);
    this.#stored = text;
  }

  #writes(more: readonly ScopeRule[]): readonly ScopeRule[] {
    return [...this.#options.scope.grants.values(), ...this.#inUse, ...more].filter(isWrite);
  }

  #ceiling(more: readonly ScopeRule[]): Scope {
    const { allow, deny } = this.#options.scope.ceiling;
    return { allow: [...allow, ...this.#inUse, ...more], deny };
  }
}

type InTurn = (work: () => Promise<void>) => Promise<void>;

function isWrite({ permission }: ScopeRule): boolean {
  return permission === "write";
}
