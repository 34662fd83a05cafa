/** A loan from what was asked for: canonical, within what the lender holds at that moment, and enough to work with. */
import { type Loan, type Scope, type ScopeRule, YoiError } from "@yoi/base";
import type { Lendable } from "@yoi/tools";
import {
  isSubset,
  isWithin,
  overlapping,
  permissionAt,
  permits,
  quotePath,
  sameRule,
  sharedPart,
} from "@yoi/scope";
import type { Lender } from "./lender.ts";

/** A loan to make. */
export interface NewLoan {
  readonly loan: Loan;
  /** Its targets, to be looked at again. */
  readonly targets: Pick<Lendable, "confirm" | "confirmTargets">;
}

/** Nothing is withdrawn yet. Throws loan_refused, usage. */
export async function loanOf(lender: Lender, asked: readonly ScopeRule[]): Promise<NewLoan> {
  if (asked.length === 0) {
    throw new YoiError("usage", "Nothing is lent: name at least one path that the child may read or write.");
  }
  const targets = await lender.lendable(asked);
  const { deny } = lender.scope.own;
  return newLoan(lender, { allow: distinct([...targets.rules, ...shellReads(lender)]), deny }, targets);
}

/** Of a child whose loan came back: the same rules, checked as those of a new one, under what the lender is denied today. */
export async function loanAgain(lender: Lender, { scope: before }: Pick<Loan, "scope">): Promise<NewLoan> {
  const { workspace } = lender.manifest;
  const isAsked = ({ permission, target }: ScopeRule) =>
    permission === "write" || isWithin(workspace, target);
  const targets = await lender.lendable(before.allow.filter(isAsked));
  const reads = before.allow.filter((rule) => !isAsked(rule));
  const deny = distinct([...before.deny, ...lender.scope.own.deny]);
  return newLoan(lender, { allow: distinct([...targets.rules, ...reads]), deny }, targets);
}

function newLoan(lender: Lender, scope: Scope, targets: Lendable): NewLoan {
  assertWorkable(lender, scope);
  const loan = { id: lender.ports.ids.uuidV7(), scope };
  assertHeld(lender, loan);
  return { loan, targets };
}

/** To be asked again in the very instant of the lend. Throws loan_refused, naming what is not held. */
export function assertHeld({ scope: live, name }: Lender, { scope }: Loan): void {
  if (overlapping(scope, sharedPart(live.own))) {
    throw new YoiError(
      "loan_refused",
      `The Pod ${name} cannot lend write where other Pods may write at the same time by the user's word (\`shared = true\` in config.toml): lend what it holds alone, or lend it for reading.`,
    );
  }
  if (isSubset(scope, live.lendable)) return;
  const over = scope.allow.find((rule) => !isSubset({ allow: [rule], deny: scope.deny }, live.lendable));
  const what =
    over === undefined ? "more than it holds" : `${over.permission} on ${quotePath(over.target)}, all of it`;
  const isLent = over !== undefined && isSubset({ allow: [over], deny: scope.deny }, live.own);
  const why = isLent
    ? "a part of it is lent to another child: stop that one first, or lend what it does not have"
    : "its own scope does not give it: lend a part of what it may use itself";
  throw new YoiError("loan_refused", `The Pod ${name} cannot lend ${what}: ${why}.`);
}

/** What shells need to read outside of the workspace: system directories and toolchains. */
function shellReads({ scope, manifest: { workspace } }: Lender): readonly ScopeRule[] {
  return scope.own.allow.filter(
    ({ permission, target }) =>
      permission === "read" && !isWithin(workspace, target) && !isWithin(target, workspace),
  );
}

function assertWorkable({ manifest: { workspace } }: Lender, scope: Scope): void {
  if (permits(permissionAt(scope, workspace), "read")) return;
  const rule = JSON.stringify({ target: workspace, permission: "read" });
  throw new YoiError(
    "loan_refused",
    `The child works in ${quotePath(workspace)} and could not read it: add the rule ${rule} to what is lent.`,
  );
}

function distinct(rules: readonly ScopeRule[]): readonly ScopeRule[] {
  return rules.filter((rule, index) => rules.findIndex((other) => sameRule(other, rule)) === index);
}
