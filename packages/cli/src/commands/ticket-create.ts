/** `yoi ticket create`: a new ticket, in planning. */
import { YoiError } from "@yoi/base";
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

/** Of a label, a priority and an assignee. */
export const wordCharsMax = 128;

export async function ticketCreate(flags: CreateFlags): Promise<number> {
  const { store, actor, source, host, root, workspace } = await ticketsToWrite(flags);
  const { title, label, priority, assignee } = flags;
  const fields = {
    ...(label === undefined ? {} : { labels: label.map((one) => word(one, "--label")) }),
    ...(priority === undefined ? {} : { priority: word(priority, "--priority") }),
    ...(assignee === undefined ? {} : { assignee: word(assignee, "--assignee") }),
  };
  const example = 'as in `yoi ticket create --title "Bound the retries" --file body.md`';
  const body = await readBodyIfAny(undefined, flags, { what: "the ticket", example }, source);
  const isFirst = (await host.files.stat(root)) === null;
  const ticket = await store.create({ title, body, fields }, actor);
  if (isFirst) sayTicket(`The tickets of ${workspace} are in ${root} from now on.`);
  printResult(flags, ticket, `created ${ticket.id}`);
  return exitCode.done;
}

function word(text: string, flag: string): string {
  const trimmed = text.trim();
  if (trimmed === "" || /[\u0000-\u001f\u007f]/.test(trimmed) || trimmed.length > wordCharsMax)
    throw new YoiError("usage", `${flag} is to be one line of 1 to ${wordCharsMax} characters.`);
  return trimmed;
}
