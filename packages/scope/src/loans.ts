/** Loans as rules: what is left to a lender, and who else could write where. Pure. */
import type { Loan, Scope, ScopeRule } from "@yoi/base";

/** What a Pod holds while loans are open: its ceiling, less write wherever a loan lets a child write. Reading stays. */
export function effectiveScope(ceiling: Scope, loans: readonly Loan[]): Scope {
  const lent = loans.flatMap(({ scope }) => scope.allow.filter(({ permission }) => permission === "write"));
  return lent.length === 0 ? ceiling : { allow: ceiling.allow, deny: [...ceiling.deny, ...lent] };
}

/** What a Pod holds as nobody else may: where it writes with others by the user's word, it only reads. */
export function heldAlone({ allow, deny }: Scope): Scope {
  if (!allow.some(isShared)) return { allow, deny };
  const alone = allow.map((rule): ScopeRule => {
    if (!isShared(rule)) return rule;
    const { target, recursive } = rule;
    return { target, permission: "read", recursive };
  });
  return { allow: alone, deny };
}

/** Where a Pod writes with others. */
export function sharedPart({ allow, deny }: Scope): Scope {
  return { allow: allow.filter(isShared), deny };
}

function isShared({ shared }: ScopeRule): boolean {
  return shared === true;
}

/** The rules by which a scope lets something be written. */
export function writeRules(scope: Scope): readonly ScopeRule[] {
  return scope.allow.filter(({ permission }) => permission === "write");
}
