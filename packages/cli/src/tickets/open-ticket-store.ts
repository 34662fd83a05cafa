/** The tickets of a workspace, for commands and for Pods: one way to open them. */
import type { Host } from "@yoi/host";
import { createTicketStore, type TicketStore } from "@yoi/tickets";
import { inspect } from "../compose/secrets.ts";
import { ticketRootOf } from "./ticket-workspace.ts";

/**
 * Touches nothing, and makes nothing before the first ticket is made.
 * @param workspace canonical.
 */
export function openTicketStore(
  { files, locks, clock }: Pick<Host, "files" | "locks" | "clock">,
  workspace: string,
): TicketStore {
  const kindAt = async (path: string) => (await inspect(path))?.kind ?? null;
  return createTicketStore({ files, locks, clock, kindAt, root: ticketRootOf(workspace) });
}
