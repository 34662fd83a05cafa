/** `yoi ticket doctor`: whether the tickets of a workspace are whole, and mending what can be mended without losing anything. */
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import { doctorText, hasErrors } from "../output/ticket-doctor-text.ts";
import { refuseInPod } from "../tickets/person.ts";
import { type ReadFlags, ticketsToRead } from "../tickets/ticket-command.ts";

export interface DoctorFlags extends ReadFlags {
  readonly fix?: boolean;
}

export async function ticketDoctor(flags: DoctorFlags): Promise<number> {
  const { store, environment } = await ticketsToRead(flags);
  const fix = flags.fix === true;
  if (fix) refuseInPod(environment);
  const report = await store.doctor({ fix });
  process.stdout.write(flags.json === true ? jsonLine(report) : doctorText(report, { fix }));
  return hasErrors(report) ? exitCode.failed : exitCode.done;
}
