/** Lendable: the rules of a lend, checked on the disk. What is lent is what it is called: no link, no second name, no mount. */
import { type Clock, type Scope, type ScopeRule, type Timers, YoiError } from "@yoi/base";
import { type Protection, scopeRulesMax } from "@yoi/scope";
import { checkTarget, type Target } from "./lendable/check-target.ts";
import { checkHardLinks } from "./lendable/hard-links.ts";
import type { Counts } from "./lendable/mountable.ts";
import { mountPoints } from "./lendable/mount-points.ts";
import { rulesOf } from "./scoped-files/rules.ts";

export interface LendableOptions {
  /** What the lender holds now: every target must lie in it. */
  readonly scope: Scope;
  readonly protection: Protection;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** Each method throws loan_refused, like the check before it. */
export interface Lendable {
  /** As asked for, each target normalised; it is the real path. The rule of a file is not recursive. */
  readonly rules: readonly ScopeRule[];
  /**
   * All of it anew, and that each target that is lent to write is still the same file or directory. For when nobody works there any more: what was
   * checked while the lender's commands ran, they could change behind it.
   */
  confirm(): Promise<void>;
  /** Only that each target that is lent to write is still the same file or directory: for right before the borrower begins. */
  confirmTargets(): void;
}

/** Throws loan_refused, in one sentence, for the first rule that cannot be lent. Protected and denied parts of a tree are not lent, so they are not looked at. */
export async function lendable(asked: readonly ScopeRule[], options: LendableOptions): Promise<Lendable> {
  if (asked.length > scopeRulesMax) {
    throw new YoiError(
      "loan_refused",
      `${asked.length} rules cannot be lent at once, ${scopeRulesMax} can: name directories in place of what is in them.`,
    );
  }
  const { scope, protection } = options;
  const rules = rulesOf(scope, protection);
  const check = async (wanted: readonly ScopeRule[]): Promise<readonly Target[]> => {
    const points = mountPoints();
    const held = { scope, rules, points, counts: new Map<string, Counts>() };
    const targets = wanted.map((rule) => checkTarget(rule, held));
    const trees = targets.filter(({ kind, rule }) => kind === "directory" && rule.permission === "write");
    await checkHardLinks(
      trees.map(({ rule }) => rule),
      options,
    );
    return targets;
  };
  const first = await check(asked);
  const canonical = first.map(({ rule }) => rule);
  const confirmTargets = (): void => {
    for (const target of first) target.again();
  };
  return {
    rules: canonical,
    confirm: async () => {
      await check(canonical);
      confirmTargets();
    },
    confirmTargets,
  };
}
