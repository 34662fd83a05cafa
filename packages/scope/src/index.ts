/** Who may touch which path: the rule algebra, as pure functions. */
export { intersectScopes, isSubset, overlapping, writingOnly } from "./algebra.ts";
export { defaultScope, systemDirectories } from "./default-scope.ts";
export { describeScope } from "./describe.ts";
export { LiveScope, lendWaitMs } from "./live-scope.ts";
export { effectiveScope, heldAlone, sharedPart, writeRules } from "./loans.ts";
export {
  childOf,
  isBelow,
  isWithin,
  joinComponents,
  nameBytesMax,
  normalPath,
  parentOf,
  pathBytesMax,
  pathComponents,
  pathProblem,
  quotePath,
} from "./path.ts";
export type { Permission } from "./permission.ts";
export { covers, leftBy, lowerPermission, permissionAt, permits } from "./permission.ts";
export type { Protection } from "./protection.ts";
export {
  gitProtected,
  gitRedirects,
  gitWholes,
  isOfTickets,
  permittedAt,
  isGitName,
  projectProtected,
  protectionOf,
  ticketLockOf,
} from "./protection.ts";
export { checkScope, sameRule, scopeRule, scopeRulesMax } from "./rule.ts";
