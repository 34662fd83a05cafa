/** `yoi ticket show`: one ticket, with all that was said and done about it. */
import { stdoutScreen } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import { ticketText } from "../output/ticket-text.ts";
import { type ReadFlags, ticketsToRead } from "../tickets/ticket-command.ts";

export async function ticketShow(given: string, flags: ReadFlags): Promise<number> {
  const { store, named, host } = await ticketsToRead(flags);
  const ticket = await store.show(await named(given));
  const columns = stdoutScreen()?.columns ?? null;
  process.stdout.write(
    flags.json === true ? jsonLine(ticket) : ticketText(ticket, { now: host.clock.now(), columns }),
  );
  return exitCode.done;
}
