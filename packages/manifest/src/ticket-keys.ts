/** The keys of `[tickets]`: what a Pod is among the tickets of its workspace. */
import type { SettingSpec } from "./config-keys.ts";
import { isOneOf } from "./config-values.ts";

export const ticketPodRoles = ["intake", "orchestrator", "coder", "reviewer"] as const;
export type TicketPodRole = (typeof ticketPodRoles)[number];

/** What a Pod may do with tickets, where the feature is switched on. */
export interface TicketChoice {
  readonly role: TicketPodRole;
  /** An orchestrator closes what is done; else only a person does. */
  readonly close: boolean;
}

export interface TicketSettings {
  readonly "tickets.role": TicketPodRole;
  readonly "tickets.close": boolean;
}

export const ticketSettingSpecs: { readonly [K in keyof TicketSettings]: SettingSpec<TicketSettings[K]> } = {
  "tickets.role": {
    allowed: 'one of "intake", "orchestrator", "coder" and "reviewer"',
    accepts: (value) => isOneOf(value, ticketPodRoles),
    // No role is less than every other: a repository that chose one would give its Pods what only that one may.
    refusedInProject: () => "may not be set",
  },
  "tickets.close": {
    allowed: "true or false",
    accepts: (value): value is boolean => typeof value === "boolean",
    refusedInProject: (closes) => (closes ? "may not be true" : null),
  },
};

/** When nobody says anything, and of a Pod of an earlier version. */
export const ticketsDefault: TicketChoice = Object.freeze({ role: "intake", close: false });

/** Which roles a Pod may give to one that it starts: an orchestrator hands work out, any other Pod only its own part of it. */
export function mayGiveRole(giver: TicketPodRole, role: TicketPodRole): boolean {
  return role === giver || (giver === "orchestrator" && (role === "coder" || role === "reviewer"));
}
