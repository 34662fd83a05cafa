/** The tickets of a workspace, for commands and for Pods: one way to open them. */
import type { Host } from "@yoi/host";
import { createTicketStore, type TicketStore } from "@yoi/tickets";
import { inspect } from "../compose/secrets.ts";
import { knownSecrets } from "../known-secrets.ts";
import { ticketRootOf } from "./ticket-workspace.ts";
import { withoutKeys } from "./without-keys.ts";

/**
 * Touches nothing, and makes nothing before the first ticket is made.
 * @param workspace canonical.
 * @param say what is said where a key was taken out of what was to be written; a Pod sees the mark in its place.
 */
export function openTicketStore(
  { files, locks, clock }: Pick<Host, "files" | "locks" | "clock">,
  workspace: string,
  say: (sentence: string) => void = () => undefined,
): TicketStore {
  const kindAt = async (path: string) => (await inspect(path))?.kind ?? null;
  const store = createTicketStore({ files, locks, clock, kindAt, root: ticketRootOf(workspace) });
  return withoutKeys(store, { redact: knownSecrets.redact, say });
}
