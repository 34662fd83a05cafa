/** Loans as rules: what is left to a lender, and who else could write where. Pure. */
import type { Loan, Scope, ScopeRule } from "@yoi/base";

/** What a Pod holds while loans are open: its ceiling, less write wherever a loan lets a child write. Reading stays. */
export function effectiveScope(ceiling: Scope, loans: readonly Loan[]): Scope {
  const lent = loans.flatMap(({ scope }) => scope.allow.filter(({ permission }) => permission === "write"));
  return lent.length === 0 ? ceiling : { allow: ceiling.allow, deny: [...ceiling.deny, ...lent] };
}

/** The rules by which a scope lets something be written. */
export function writeRules(scope: Scope): readonly ScopeRule[] {
  return scope.allow.filter(({ permission }) => permission === "write");
}
