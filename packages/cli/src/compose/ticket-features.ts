/** The ticket features of one Pod: over the tickets of its workspace, in its name and role. */
import type { PodName } from "@yoi/base";
import { ticketsFeature, ticketStoreFeature } from "@yoi/builtin";
import type { FeatureModule } from "@yoi/feature";
import type { Host } from "@yoi/host";
import type { Manifest } from "@yoi/manifest";
import { openTicketStore } from "../tickets/open-ticket-store.ts";

export interface PodAmongTickets {
  readonly name: PodName;
  readonly manifest: Pick<Manifest, "workspace" | "tickets">;
  readonly host: Pick<Host, "files" | "locks" | "clock" | "timers">;
}

/**
 * Author and role of all that it writes are said to the store, which no tool of it can tell anything else. A child works in its parent's workspace, so with its tickets, also where it is lent a clone.
 */
export function ticketFeatures({ name, manifest, host }: PodAmongTickets): readonly FeatureModule[] {
  const { role, close } = manifest.tickets;
  const store = openTicketStore(host, manifest.workspace);
  const wait = async (delayMs: number, signal: AbortSignal): Promise<void> => {
    try {
      await host.timers.sleep(delayMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  return [
    ticketStoreFeature({ store, actor: { author: name, role, mayClose: close } }),
    ticketsFeature({ role, wait }),
  ];
}
