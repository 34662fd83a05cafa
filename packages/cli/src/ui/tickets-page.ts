/** The page of tickets that the terminal shows: those that are not closed, and what a person does with one. */
import type { Page } from "@yoi/tui";
import type { Reach } from "../client/pod-command.ts";
import { stdoutScreen } from "../environment.ts";
import { ticketListText } from "../output/ticket-list-text.ts";
import { openTicketStore } from "../tickets/open-ticket-store.ts";
import { ticketRootOf, ticketWorkspace } from "../tickets/ticket-workspace.ts";

/** @param workspace whose tickets they are, or a directory below it. */
export async function ticketsPage(workspace: string, { environment, stores }: Reach): Promise<Page> {
  const { host } = stores;
  const here = await ticketWorkspace(undefined, { ...environment, workingDirectory: () => workspace });
  const { tickets, problems } = await openTicketStore(host, here).list();
  const newest = tickets.toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
  const list =
    newest.length === 0
      ? `No open tickets in ${ticketRootOf(here)}${problems.length > 0 ? " that can be read" : ""}.\n`
      : ticketListText(newest, { now: host.clock.now(), columns: stdoutScreen()?.columns ?? null });
  const text = [list, problems.map((problem) => `${problem}\n`).join(""), hints];
  return { title: "Open tickets", text: text.filter((part) => part !== "").join("\n") };
}

const hints = `yoi ticket show ID               what was said of one
yoi ticket comment ID TEXT       say something to it
yoi ticket status ID             where it may go from here; with a state, bring it there
yoi ticket create --title TITLE  make one
`;
