/** ScopeGrants: calls of file tools that would leave the Pod's scope. The user is asked before they run, and what was allowed widens the scope: for one call, or for later ones. */
import { resolve } from "node:path/posix";
import {
  type AllowedBy,
  type CallId,
  type Scope,
  type ScopePermission,
  type ScopeRule,
  type ScopeWish,
  type Tool,
  YoiError,
} from "@yoi/base";
import { targetOf } from "@yoi/manifest";
import { type LiveScope, pathProblem, permits, permittedAt, quotePath } from "@yoi/scope";
import type { GatedCall } from "../policy/permission-gate.ts";
import { keptRuleText, parseKeptRule } from "../policy/kept-rule.ts";
import { givesWish, pathOffers } from "../policy/offers.ts";
import type { Granting } from "./granting.ts";
import type { KeptAnswers } from "./kept-answers.ts";

const permissionOf: ReadonlyMap<string, ScopePermission> = new Map([
  ["Read", "read"],
  ["Glob", "read"],
  ["Grep", "read"],
  ["Write", "write"],
  ["Edit", "write"],
]);

export interface ScopeGrantsOptions {
  readonly scope: LiveScope;
  /** The registry's row: one live writer for any path. Both throw scope_conflict. */
  readonly row: {
    /** Whether it could hold this, for nothing. */
    check(ceiling: Scope): Promise<void>;
    hold(ceiling: Scope): Promise<void>;
  };
  readonly workspace: string;
  /** Null: nothing widens the scope. */
  readonly granting: Pick<Granting, "protection" | "realPath"> | null;
  /** The user said where the Pod may write at most: nobody is asked for more. */
  readonly isNarrowed: boolean;
  /** A child never leaves its loan. */
  readonly isChild: boolean;
  readonly canAsk: boolean;
  readonly warn: (text: string) => void;
}

/** What a call needs beyond the scope. */
export type Leaving =
  | {
      readonly kind: "ask";
      readonly wish: ScopeWish;
      readonly offers: readonly string[];
      readonly wants: string;
    }
  | { readonly kind: "refused"; readonly reason: string };

interface Target {
  readonly permission: ScopePermission;
  readonly named: string;
  readonly real: string;
  readonly isDirectory: boolean;
}

export class ScopeGrants {
  readonly #options: ScopeGrantsOptions;
  #kept: Pick<KeptAnswers, "inForce"> | null = null;
  /** Of calls that were allowed once, until they run. */
  readonly #once = new Map<CallId, ScopeRule>();
  /** Of calls that run. */
  readonly #running = new Set<ScopeRule>();
  readonly #by = new Map<string, AllowedBy>();
  readonly #told = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ScopeGrantsOptions) {
    this.#options = options;
  }

  /** Whose rules widen the scope from now on. */
  follow(kept: Pick<KeptAnswers, "inForce">): Promise<void> {
    this.#kept = kept;
    return this.sync();
  }

  /** The scope is widened by what is in force now, and by nothing else. Never throws scope_conflict: what another Pod may write is left out, and said once. */
  sync(): Promise<void> {
    const { granting, isChild } = this.#options;
    const kept = this.#kept;
    if (kept === null || granting === null || isChild) return Promise.resolve();
    return this.#inTurn(async () => {
      const rules = new Map<string, { readonly by: AllowedBy; readonly rule: ScopeRule }>();
      for (const { by, rule } of await kept.inForce())
        if (rule.kind === "path") rules.set(by.id, { by, rule: this.#bounded(rule.rule) });
      await this.#take([...this.#options.scope.grants.keys()].filter((id) => !rules.has(id)));
      for (const [id, { by, rule }] of rules) if (!this.#by.has(id)) await this.#give(id, by, rule);
    });
  }

  /** Null: the call stays inside, or is refused as ever, without a question. */
  async leaving(call: GatedCall): Promise<Leaving | null> {
    const { scope, granting, canAsk, isChild, isNarrowed, row } = this.#options;
    if (granting === null || !canAsk || isChild || !permissionOf.has(call.name)) return null;
    await this.sync();
    const target = this.#target(call);
    if (target === null) return null;
    const { permission, named, real, isDirectory } = target;
    const { protection } = granting;
    const { allow, deny } = scope.current;
    const may = (rules: readonly ScopeRule[], path: string, wanted: ScopePermission): boolean =>
      permits(permittedAt({ allow: rules, deny }, protection, path), wanted);
    if (may(allow, real, permission)) return null;
    // What leads there from outside would still be out of scope.
    if (named !== real && !may(allow, named, "read")) return null;
    if (permission === "write" && isNarrowed) return null;
    // Credentials, what is yoi's own, what a rule denies, and what is on loan.
    if (!may([...allow, { target: "/", permission, recursive: true }], real, permission)) return null;
    const isSearch = call.name === "Glob" || call.name === "Grep";
    const rule: ScopeRule = { target: real, permission, recursive: isSearch && isDirectory };
    if (permission === "write") {
      try {
        await row.check(this.#ceiling([rule]));
      } catch (error) {
        if (!(error instanceof YoiError) || error.code !== "scope_conflict") throw error;
        return { kind: "refused", reason: `Refused: ${error.message} Nothing was done.` };
      }
    }
    const broad = [this.#options.workspace, ...(protection.home === null ? [] : [protection.home])];
    return {
      kind: "ask",
      wish: { permission, target: real },
      offers: pathOffers(rule, broad)
        .map(keptRuleText)
        .filter((text) => parseKeptRule(text) !== null),
      wants: wantsToLeave({ permission, target: real }),
    };
  }

  /** The grants without which a call of a file tool would leave the scope. */
  lets(call: GatedCall): readonly AllowedBy[] {
    const { scope, granting } = this.#options;
    if (granting === null || this.#by.size === 0) return [];
    const target = this.#target(call);
    if (target === null) return [];
    const { allow, deny } = scope.lendable;
    const may = (rules: readonly ScopeRule[]): boolean =>
      permits(permittedAt({ allow: rules, deny }, granting.protection, target.real), target.permission);
    if (may(allow)) return [];
    const [first] = [...scope.grants].filter(([, rule]) => may([...allow, rule]));
    const by = first === undefined ? undefined : this.#by.get(first[0]);
    return by === undefined ? [] : [by];
  }

  /** The call runs with what it was asked about, and with nothing else. */
  allowOnce(call: CallId, wish: ScopeWish, offers: readonly string[]): void {
    const [narrowest] = offers.flatMap((offer) => {
      const rule = parseKeptRule(offer);
      return rule?.kind === "path" && rule.rule.target === wish.target && givesWish(rule.rule, wish)
        ? [rule.rule]
        : [];
    });
    this.#once.set(call, narrowest ?? { ...wish, recursive: false });
  }

  /** Throws scope_conflict where another Pod may write what the rule would let this one write. */
  async check(rule: ScopeRule): Promise<void> {
    if (rule.permission === "write") await this.#options.row.check(this.#ceiling([rule]));
  }

  /** Around every tool, whoever contributed it: it runs in the scope of this moment. */
  guard(tool: Tool): Tool {
    if (this.#options.granting === null || this.#options.isChild) return tool;
    return {
      ...tool,
      execute: async (args, context) => {
        await this.sync();
        const rule = this.#once.get(context.call);
        if (rule === undefined) return tool.execute(args, context);
        this.#once.delete(context.call);
        await this.#inTurn(() => this.#begin(rule));
        try {
          return await this.#options.scope.during(rule, () => tool.execute(args, context));
        } finally {
          this.#running.delete(rule);
          if (rule.permission === "write") await this.#inTurn(() => this.#narrow());
        }
      },
    };
  }

  async #begin(rule: ScopeRule): Promise<void> {
    if (rule.permission === "write") await this.#hold([rule]);
    this.#running.add(rule);
  }

  async #give(id: string, by: AllowedBy, rule: ScopeRule): Promise<void> {
    try {
      if (rule.permission === "write") await this.#hold([rule]);
      this.#options.scope.grant(id, rule);
      this.#by.set(id, by);
    } catch (error) {
      if (!(error instanceof YoiError)) throw error;
      const sentence = `What you granted (${by.rule}) does not count in this Pod now: ${error.message}`;
      if (!this.#told.has(sentence)) this.#options.warn(sentence);
      this.#told.add(sentence);
    }
  }

  async #take(ids: readonly string[]): Promise<void> {
    const { scope } = this.#options;
    const rules = ids.map((id) => scope.grants.get(id));
    for (const id of ids) {
      scope.revokeGrant(id);
      this.#by.delete(id);
    }
    if (rules.some((rule) => rule?.permission === "write")) await this.#narrow();
  }

  /** A row that says more than is held keeps others out, and lets nobody in. */
  async #narrow(): Promise<void> {
    try {
      await this.#hold([]);
    } catch (error) {
      if (!(error instanceof YoiError)) throw error;
      this.#options.warn(`The registry does not know yet that this Pod may write less: ${error.message}`);
    }
  }

  #hold(more: readonly ScopeRule[]): Promise<void> {
    return this.#options.row.hold(this.#ceiling(more));
  }

  #ceiling(more: readonly ScopeRule[]): Scope {
    const { allow, deny } = this.#options.scope.ceiling;
    return { allow: [...allow, ...this.#running, ...more], deny };
  }

  #bounded(rule: ScopeRule): ScopeRule {
    return this.#options.isNarrowed ? { ...rule, permission: "read" } : rule;
  }

  #target({ name, args }: GatedCall): Target | null {
    const { granting, workspace } = this.#options;
    const permission = permissionOf.get(name);
    const { kind, text } = targetOf(name, args);
    if (granting === null || permission === undefined || kind !== "path") return null;
    const named = resolve(workspace, text);
    if (pathProblem(named) !== null) return null;
    const found = granting.realPath(named);
    return found === null ? null : { permission, named, real: found.path, isDirectory: found.isDirectory };
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => {});
    return next;
  }
}

/** Why the user is asked about a call that would leave the scope, as the rest of a sentence. */
export function wantsToLeave({ permission, target }: ScopeWish): string {
  return `this would ${permission} ${quotePath(target)}, which lies outside of this Pod's scope`;
}
