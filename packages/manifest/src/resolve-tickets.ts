/** Tickets: the role of a Pod among them, and whether it may close one. Both are the user's to give. */
import { builtIn, firstSaid, ofUser, strongest } from "./layered.ts";
import type { ConfigEntry, ConfigLayers } from "./resolve-input.ts";
import { type TicketChoice, ticketsDefault } from "./ticket-keys.ts";

export function resolveTickets(layers: ConfigLayers): {
  readonly choice: TicketChoice;
  readonly sources: readonly ConfigEntry[];
} {
  const role = firstSaid(ofUser(layers), "tickets.role") ?? { value: ticketsDefault.role, origin: builtIn };
  const close = strongest(layers, "tickets.close", ticketsDefault.close);
  return {
    choice: { role: role.value, close: close.value },
    sources: [
      { key: "tickets.role", ...role },
      { key: "tickets.close", ...close },
    ],
  };
}
