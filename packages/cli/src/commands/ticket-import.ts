/** `yoi ticket import`: tickets of an old layout, copied in. */
import { join, resolve } from "node:path";
import { escapeControls } from "@yoi/base";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import { sayTicket, ticketsToWrite, type WriteFlags } from "../tickets/ticket-command.ts";

/** Where the old layout is, if nobody says where. */
const usualDirectory = "work-items";

/** 1 where a folder of it did not come in. */
export async function ticketImport(given: string | undefined, flags: WriteFlags): Promise<number> {
  const { store, actor, workspace, environment } = await ticketsToWrite(flags);
  const directory =
    given === undefined ? join(workspace, usualDirectory) : resolve(environment.workingDirectory(), given);
  const report = await store.importOld(directory, actor);
  const { imported, known, refused } = report;
  if (flags.json === true) process.stdout.write(jsonLine(report));
  else {
    const lines = imported.map(({ id, from, title }) => `imported ${id} from ${from}: ${title}`);
    const sum = `${imported.length} imported, ${known.length} came in before, ${refused.length} refused.`;
    process.stdout.write([...lines, sum].map((line) => `${escapeControls(line)}\n`).join(""));
  }
  for (const sentence of refused) sayTicket(sentence);
  return refused.length === 0 ? exitCode.done : exitCode.failed;
}
