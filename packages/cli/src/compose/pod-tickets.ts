/** What the ticket features of one Pod work with: the tickets of its workspace, and who it is among them. */
import type { PodName } from "@yoi/base";
import { builtIn, type Manifest } from "@yoi/manifest";
import type { Host } from "@yoi/host";
import type { Actor, PodRole, TicketStore } from "@yoi/tickets";
import { openTicketStore } from "../tickets/open-ticket-store.ts";

export interface PodTickets {
  readonly store: TicketStore;
  /** Whom each event names: a tool says neither author nor role. */
  readonly actor: Actor & { readonly role: PodRole };
  /** Resolves after so long, or as soon as the signal aborts. */
  readonly wait: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/** Touches nothing. A child works in its parent's workspace, so with its tickets, also where it is lent a clone. */
export function podTickets(
  name: PodName,
  { workspace, tickets }: Pick<Manifest, "workspace" | "tickets">,
  host: Pick<Host, "files" | "locks" | "clock" | "timers">,
): PodTickets {
  return {
    store: openTicketStore(host, workspace),
    actor: { author: name, role: tickets.role, mayClose: tickets.close },
    wait: async (delayMs, signal) => {
      try {
        await host.timers.sleep(delayMs, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
  };
}

/** Whether a Pod's report is to say that it has no tickets: where somebody switched them off, and not where nobody spoke of them. */
export function speaksOfTickets({ features: { tickets } }: Pick<Manifest, "features">): boolean {
  return tickets.enabled || tickets.origin !== builtIn;
}
