/** `yoi pod log`: the entries of a Pod's log, as far as they are good. */
import { isKnown, type LogEntry, YoiError } from "@yoi/base";
import { describeEntry, readActive } from "@yoi/pod";
import { openStores } from "../compose/stores.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import type { JsonFlag } from "../program/act.ts";

export async function podLog(name: string, flags: JsonFlag): Promise<number> {
  const { view } = await readActive(openStores(readEnvironment()), name);
  for (const entry of view.entries) {
    const text = flags.json === true ? JSON.stringify(plainEntry(entry)) : describeEntry(entry);
    process.stdout.write(`${text}\n`);
  }
  if (view.tailBytes > 0) {
    process.stderr.write(
      `yoi: ${view.path} ends in ${view.tailBytes} bytes of an unfinished write, which the next run repairs.\n`,
    );
  }
  if (view.damage !== null) {
    const { path, line, offset, reason } = view.damage;
    throw new YoiError(
      "log_damaged",
      `${path} is damaged at line ${line}, byte ${offset} (${reason}): the ${view.entries.length} entries before it are good and stand above; what follows is not used.`,
      { place: { path, line, offset } },
    );
  }
  return exitCode.done;
}

function plainEntry(entry: LogEntry): object {
  if (isKnown(entry)) return entry;
  const { seq, batch, ts, kind, fields } = entry;
  return { seq, batch, ts, kind, ...fields };
}
