/** What every `yoi ticket` verb begins with: whose tickets, who acts, and where text comes from. */
import { escapeControls } from "@yoi/base";
import { type Host, nodeHost } from "@yoi/host";
import type { Actor, TicketStore } from "@yoi/tickets";
import { learnEnvironment } from "../compose/secrets.ts";
import { type Environment, readEnvironment } from "../environment.ts";
import type { JsonFlag } from "../program/act.ts";
import { openTicketStore } from "./open-ticket-store.ts";
import { personOf, refuseInPod } from "./person.ts";
import type { BodySource } from "./read-body.ts";
import { ticketNamed } from "./ticket-named.ts";
import { ticketRootOf, ticketWorkspace } from "./ticket-workspace.ts";

export interface ReadFlags extends JsonFlag {
  readonly cd?: string;
}

export interface WriteFlags extends ReadFlags {
  readonly author?: string;
}

export interface TicketReading {
  readonly environment: Environment;
  readonly host: Host;
  /** Canonical. */
  readonly workspace: string;
  /** The folder of the tickets, which need not be there. */
  readonly root: string;
  readonly store: TicketStore;
  /** The whole id of what was typed for one. */
  named(id: string): Promise<string>;
}

export interface TicketWriting extends TicketReading {
  readonly actor: Actor;
  readonly source: BodySource;
}

export async function ticketsToRead({ cd }: ReadFlags): Promise<TicketReading> {
  const environment = readEnvironment();
  const host = nodeHost();
  const workspace = await ticketWorkspace(cd, environment);
  const root = ticketRootOf(workspace);
  const store = openTicketStore(host, workspace, sayTicket);
  const named = (id: string): Promise<string> => ticketNamed(id, { files: host.files, root });
  return { environment, host, workspace, root, store, named };
}

/** Refused from inside a Pod, before anything is read. */
export async function ticketsToWrite(flags: WriteFlags): Promise<TicketWriting> {
  refuseInPod(readEnvironment());
  const reading = await ticketsToRead(flags);
  const { environment, host } = reading;
  const { stdin, workingDirectory } = environment;
  const ports = { timers: host.timers, say: sayTicket };
  learnEnvironment(environment);
  return {
    ...reading,
    actor: personOf(flags.author, environment),
    source: { stdin, workingDirectory, bytes: process.stdin, ...ports },
  };
}

/** A sentence beside the result. */
export function sayTicket(text: string): void {
  process.stderr.write(`yoi: ${escapeControls(text)}\n`);
}
