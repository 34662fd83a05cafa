/** A manifest bounded by another: of a child by its lender's, and of a child that is opened again by the one that it keeps. Pure. */
import { canonicalJson, lowerBudget, noBudget } from "@yoi/base";
import type {
  BudgetChoice,
  Manifest,
  ModelChoice,
  PermissionRule,
  PolicyAbove,
  WebChoice,
} from "./manifest.ts";
import { stricterMode } from "./resolve.ts";
import { mayGiveRole } from "./ticket-keys.ts";

/** The minimum of the two in all that says what a Pod may do, its scope apart; the rest as `manifest` has it. @param above the policies of all Pods above. */
export function boundedBy(manifest: Manifest, bound: Manifest, above: readonly PolicyAbove[]): Manifest {
  const { permissions, sandbox, limits } = manifest;
  const modes = [bound.permissions.mode, ...above.map((policy) => policy.mode)];
  return {
    ...manifest,
    permissions: { mode: modes.reduce(stricterMode, permissions.mode), rules: permissions.rules, above },
    sandbox: {
      mode: bound.sandbox.mode === "on" ? "on" : sandbox.mode,
      network: sandbox.network && bound.sandbox.network,
    },
    limits: {
      max_turns: lower(limits.max_turns, bound.limits.max_turns),
      tool_output_bytes: Math.min(limits.tool_output_bytes, bound.limits.tool_output_bytes),
      file_upload_bytes: Math.min(limits.file_upload_bytes, bound.limits.file_upload_bytes),
    },
    ...boundedBudget(manifest.budget, bound.budget),
    web: boundedWeb(manifest.web, bound.web),
    ...boundedTickets(manifest, bound),
  };
}

/** A Pod above a child, and what it runs with. */
export interface PodAbove {
  readonly pod: string;
  readonly manifest: Manifest;
}

/** Of a child: by each Pod above it, of which the last is its lender. */
export function boundedByAll(manifest: Manifest, above: readonly PodAbove[]): Manifest {
  let policies = above[0]?.manifest.permissions.above ?? [];
  for (const { pod, manifest: of } of above)
    policies = policiesBelow(pod, { ...of, permissions: { ...of.permissions, above: policies } });
  return above.reduce((bounded, one) => boundedBy(bounded, one.manifest, policies), manifest);
}

/** Of a child to which this Pod lends now: those above it, and its own as the last. */
export function policiesBelow(pod: string, { permissions }: Manifest): readonly PolicyAbove[] {
  const { above = [], mode, rules } = permissions;
  return [...above, { pod, mode, rules }];
}

/** Whether a child that runs with `manifest` may do what it could not if this lender bound it now, its scope apart. */
export function isLooser(manifest: Manifest, { pod, manifest: lender }: PodAbove): boolean {
  const above = policiesBelow(pod, lender);
  return (
    !isSame(boundsOf(boundedBy(manifest, lender, above)), boundsOf(manifest)) ||
    isPolicyMissing(manifest, above)
  );
}

function boundsOf({ permissions: { mode }, sandbox, limits, web, features, tickets }: Manifest) {
  return { mode, sandbox, limits, web, tickets: features.tickets.enabled ? tickets : null };
}

/** A policy of now of which what the child was bound by is not at least as strict. */
function isPolicyMissing({ permissions }: Manifest, now: readonly PolicyAbove[]): boolean {
  return now.some(({ pod, mode, rules }) => {
    const then = permissions.above?.find((policy) => policy.pod === pod);
    return (
      then === undefined || stricterMode(then.mode, mode) !== then.mode || !isAsStrict(then.rules, rules)
    );
  });
}

/** Only denials that were dropped and permissions that were added take nothing away; any other change may, by its place too. */
function isAsStrict(then: readonly PermissionRule[], now: readonly PermissionRule[]): boolean {
  const has = (rules: readonly PermissionRule[], rule: PermissionRule) =>
    rules.some((one) => isSame(one, rule));
  const kept = then.filter((rule) => rule.action !== "deny" || has(now, rule));
  const asked = now.filter((rule) => rule.action !== "allow" || has(then, rule));
  return isSame(kept, asked);
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

/** How a model is asked. */
export const askingKeys = ["context_window", "max_output_tokens", "temperature", "reasoning"] as const;

/** The same model, asked as `how` says, where that says anything. */
export function askedAs(
  model: ModelChoice,
  how: ModelChoice,
  keys: readonly (typeof askingKeys)[number][] = askingKeys,
): ModelChoice {
  return keys.reduce((asked, key) => (how[key] === undefined ? asked : { ...asked, [key]: how[key] }), model);
}

/** A typed one of the bounded is no choice of its own any more. */
function boundedBudget(
  budget: BudgetChoice | undefined,
  bound: BudgetChoice | undefined,
): { readonly budget?: BudgetChoice } {
  if (budget === undefined || bound === undefined) {
    const one = budget ?? bound;
    return one === undefined ? {} : { budget: lowerBudget(one, noBudget) };
  }
  return { budget: lowerBudget(budget, bound) };
}

/** Null is no limit. */
function lower(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

function boundedWeb(web: WebChoice, bound: WebChoice): WebChoice {
  const { fetch, search } = web;
  return {
    allow_private_addresses: web.allow_private_addresses && bound.allow_private_addresses,
    fetch:
      fetch === null || bound.fetch === null
        ? null
        : {
            timeout_secs: Math.min(fetch.timeout_secs, bound.fetch.timeout_secs),
            redirect_limit: Math.min(fetch.redirect_limit, bound.fetch.redirect_limit),
            max_response_bytes: Math.min(fetch.max_response_bytes, bound.fetch.max_response_bytes),
            max_output_bytes: Math.min(fetch.max_output_bytes, bound.fetch.max_output_bytes),
          },
    search:
      search === null || bound.search === null
        ? null
        : { ...search, timeout_secs: Math.min(search.timeout_secs, bound.search.timeout_secs) },
  };
}

/** Without tickets where the other has none, or could not give that role. */
function boundedTickets(
  { features, tickets }: Manifest,
  bound: Manifest,
): Pick<Manifest, "features" | "tickets"> {
  const { enabled } = features.tickets;
  const isGiven = bound.features.tickets.enabled && mayGiveRole(bound.tickets.role, tickets.role);
  return {
    features:
      enabled && !isGiven
        ? { ...features, tickets: { enabled: false, origin: "the bounds of its parent" } }
        : features,
    tickets: { role: tickets.role, close: tickets.close && bound.tickets.close },
  };
}
