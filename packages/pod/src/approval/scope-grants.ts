/** ScopeGrants: calls of file tools that would leave the Pod's scope. The user is asked before they run, and what was allowed widens the scope: for one call, or for later ones. */
import { resolve } from "node:path/posix";
import {
  type AllowedBy,
  type CallId,
  messageOf,
  type ScopePermission,
  type ScopeRule,
  type ScopeWish,
  type Timers,
  type Tool,
  YoiError,
} from "@yoi/base";
import { targetOf } from "@yoi/manifest";
import { type LiveScope, pathProblem, permits, permittedAt, quotePath } from "@yoi/scope";
import type { GatedCall } from "../policy/permission-gate.ts";
import { keptRuleText, parseKeptRule } from "../policy/kept-rule.ts";
import { givesWish, pathOffers } from "../policy/offers.ts";
import { GrantedRow, type GrantedRowOptions, type StoreGranted } from "./granted-row.ts";
import type { Granting } from "./granting.ts";
import type { KeptAnswers } from "./kept-answers.ts";

const permissionOf: ReadonlyMap<string, ScopePermission> = new Map([
  ["Read", "read"],
  ["Glob", "read"],
  ["Grep", "read"],
  ["Write", "write"],
  ["Edit", "write"],
]);

/** How long a path stays taken, at most, behind an answer that was taken back or is over, while the Pod does nothing. */
export const grantsLookMs = 2_000;

export interface ScopeGrantsOptions {
  readonly scope: LiveScope;
  readonly row: GrantedRowOptions["row"];
  readonly workspace: string;
  /** Null: nothing widens the scope. */
  readonly granting: Pick<Granting, "protection" | "realPath"> | null;
  /** The user said where the Pod may write at most: nobody is asked for more. */
  readonly isNarrowed: boolean;
  /** A child never leaves its loan. */
  readonly isChild: boolean;
  readonly canAsk: boolean;
  readonly timers: Pick<Timers, "after">;
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
  readonly #by = new Map<string, AllowedBy>();
  readonly #told = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();
  readonly #row: GrantedRow;
  #endTimer: (() => void) | null = null;

  constructor(options: ScopeGrantsOptions) {
    this.#options = options;
    this.#row = new GrantedRow(options);
  }

  /** Whose rules widen the scope from now on. @param stored of an earlier owner */
  follow(
    kept: Pick<KeptAnswers, "inForce">,
    { store, stored = [] }: { readonly store: StoreGranted; readonly stored?: readonly ScopeRule[] },
  ): Promise<void> {
    this.#kept = kept;
    this.#row.follow(store, stored);
    return this.sync();
  }

  /** Nothing is taken in the registry, nor given back, from now on: its row goes as a whole. */
  async close(): Promise<void> {
    this.#row.close();
    this.#endTimer?.();
    await this.#last;
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
      if (this.#row.isClosed) return;
      await this.#take([...this.#options.scope.grants.keys()].filter((id) => !rules.has(id)));
      for (const [id, { by, rule }] of rules) if (!this.#by.has(id)) await this.#give(id, by, rule);
      await this.#row.settle();
      this.#lookAgain(rules.size > 0);
    });
  }

  /** While the Pod does nothing, nobody else would look. */
  #lookAgain(isNeeded: boolean): void {
    this.#endTimer?.();
    this.#endTimer = null;
    if (!isNeeded || this.#row.isClosed) return;
    this.#endTimer = this.#options.timers.after(grantsLookMs, () => {
      this.sync().catch((error: unknown) => this.#options.warn(messageOf(error)));
    });
  }

  /** Null: the call stays inside, or is refused as ever, without a question. */
  async leaving(call: GatedCall): Promise<Leaving | null> {
    const { scope, granting, canAsk, isChild, isNarrowed } = this.#options;
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
    if (permission === "write" && isNarrowed) return null;
    // Credentials, what is yoi's own, what a rule denies, and what is on loan.
    if (!may([...allow, { target: "/", permission, recursive: true }], real, permission)) return null;
    const isSearch = call.name === "Glob" || call.name === "Grep";
    // It could only fail, and what it asked for would be all that lies in it.
    if (isDirectory && !isSearch) return null;
    // What leads there from outside would still be out of scope.
    if (named !== real && !may(allow, named, "read")) return { kind: "refused", reason: throughLink(named) };
    const rule: ScopeRule = { target: real, permission, recursive: isSearch && isDirectory };
    if (permission === "write") {
      try {
        await this.#row.check(rule);
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

  /** What a call could not do so without: of a file tool what lets it leave the scope, of a command all that is in force. */
  lets(call: GatedCall): readonly AllowedBy[] {
    if (targetOf(call.name, call.args).kind === "command") return [...this.#by.values()];
    const by = this.givesPath(call);
    return by === null ? [] : [by];
  }

  /** The grant without which a call of a file tool would leave the scope; null: it stays inside, or none lets it. */
  givesPath(call: GatedCall): AllowedBy | null {
    const { scope, granting } = this.#options;
    if (granting === null || this.#by.size === 0) return null;
    const target = this.#target(call);
    if (target === null) return null;
    const { allow, deny } = scope.lendable;
    const may = (rules: readonly ScopeRule[]): boolean =>
      permits(permittedAt({ allow: rules, deny }, granting.protection, target.real), target.permission);
    if (may(allow)) return null;
    const [first] = [...scope.grants].filter(([, rule]) => may([...allow, rule]));
    return first === undefined ? null : (this.#by.get(first[0]) ?? null);
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
    if (rule.permission === "write") await this.#row.check(rule);
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
        return this.#row.during(
          rule,
          (work) => this.#inTurn(work),
          () => this.#options.scope.during(rule, () => tool.execute(args, context)),
        );
      },
    };
  }

  async #give(id: string, by: AllowedBy, rule: ScopeRule): Promise<void> {
    try {
      await this.#row.widen(rule);
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
    const rules = ids.flatMap((id) => scope.grants.get(id) ?? []);
    for (const id of ids) {
      scope.revokeGrant(id);
      this.#by.delete(id);
    }
    await this.#row.takeBack(rules, (work) => this.#inTurn(work));
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

/** Where a link leads that lies outside is nothing that the model is told. */
function throughLink(named: string): string {
  return `Refused: ${quotePath(named)} leads through a link that lies outside of this Pod's scope, and no such link is followed: give the real path of what you want, without links. Nothing was done.`;
}

/** Why the user is asked about a call that would leave the scope, as the rest of a sentence. */
export function wantsToLeave({ permission, target }: ScopeWish): string {
  return `this would ${permission} ${quotePath(target)}, which lies outside of this Pod's scope`;
}
