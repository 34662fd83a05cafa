/** `yoi ticket create`: a new ticket, in planning. */
import { exitCode } from "../exit-code.ts";
import { printResult } from "../output/print-result.ts";
import { type BodyFlags, readBodyIfAny } from "../tickets/read-body.ts";
import { sayTicket, ticketsToWrite, type WriteFlags } from "../tickets/ticket-command.ts";

export interface CreateFlags extends WriteFlags, BodyFlags {
  readonly title: string;
  readonly label?: readonly string[];
  readonly priority?: string;
  readonly assignee?: string;
}

export async function ticketCreate(flags: CreateFlags): Promise<number> {
  const { store, actor, source, host, root, workspace } = await ticketsToWrite(flags);
  const { title, label, priority, assignee } = flags;
  const fields = {
    ...(label === undefined ? {} : { labels: label }),
    ...(priority === undefined ? {} : { priority }),
    ...(assignee === undefined ? {} : { assignee }),
  };
  const example = 'as in `yoi ticket create --title "Bound the retries" --file body.md`';
  const body = await readBodyIfAny(undefined, flags, { what: "the ticket", example }, source);
  const isFirst = (await host.files.stat(root)) === null;
  const ticket = await store.create({ title, body, fields }, actor);
  if (isFirst) sayTicket(`The tickets of ${workspace} are in ${root} from now on.`);
  printResult(flags, ticket, `created ${ticket.id}`);
  return exitCode.done;
}
