/** Roles among tickets of Pods that other Pods start: which profile asks for one, and who may give it. */
import { type PodName, YoiError } from "@yoi/base";
import {
  type ConfigLayer,
  type Manifest,
  mayGiveRole,
  type ProfileChoice,
  type TicketPodRole,
  ticketPodRoles,
} from "@yoi/manifest";

type Ticketed = Pick<Manifest, "features" | "tickets">;

/** The role that a profile is for; null: it is for none, or leaves it to the configuration. */
export function roleOf(layers: readonly ConfigLayer[]): TicketPodRole | null {
  const enabled = layers.find(({ settings }) => settings["features.tickets"] !== undefined)?.settings;
  const says = layers.find(({ settings }) => settings["tickets.role"] !== undefined)?.settings;
  return enabled?.["features.tickets"] === true ? (says?.["tickets.role"] ?? null) : null;
}

/** Whether a Pod could start one of this role. */
function givesRole({ features, tickets }: Ticketed, role: TicketPodRole): boolean {
  return features.tickets.enabled && mayGiveRole(tickets.role, role);
}

/** Those that a Pod could start another one with: one for a role that it cannot give would be offered in vain. */
export function startable<P extends { readonly role?: TicketPodRole }>(
  profiles: readonly P[],
  pod: Ticketed,
): readonly P[] {
  return profiles.filter(({ role }) => role === undefined || givesRole(pod, role));
}

/**
 * What a profile says itself of tickets has to be given: a child that went without would not be what was asked for. What the configuration alone says is
 * taken away in silence. Throws config_invalid.
 * @param own as the profile and the configuration have it.
 */
export function checkRole(
  { selector, layers }: ProfileChoice,
  own: Ticketed,
  { lender, parent }: { readonly lender: PodName; readonly parent: Ticketed },
): void {
  const isAsked = layers.some(
    ({ settings }) => settings["tickets.role"] !== undefined || settings["features.tickets"] === true,
  );
  if (!isAsked || !own.features.tickets.enabled || givesRole(parent, own.tickets.role)) return;
  const given = ticketPodRoles.filter((role) => givesRole(parent, role)).map((role) => JSON.stringify(role));
  const why = parent.features.tickets.enabled
    ? `is ${JSON.stringify(parent.tickets.role)} itself and starts only Pods that are ${given.join(" or ")}`
    : "has none itself and starts none that has";
  throw new YoiError(
    "config_invalid",
    `The profile ${selector} makes a Pod ${JSON.stringify(own.tickets.role)} among tickets, and ${lender} ${why}: choose another profile, or let the user start that Pod with --profile ${selector}.`,
  );
}
