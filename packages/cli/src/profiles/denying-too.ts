/** What is lent to a child, less what the user denies today: a lender that began before such a rule does not know it yet. */
import type { Scope } from "@yoi/base";
import { sameRule } from "@yoi/scope";

/** With the denies of another scope beside its own. */
export function denyingToo({ allow, deny }: Scope, other: Pick<Scope, "deny">): Scope {
  return { allow, deny: [...deny, ...other.deny.filter((rule) => !deny.some((own) => sameRule(own, rule)))] };
}
