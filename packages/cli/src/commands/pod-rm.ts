/** `yoi pod rm`: removes a Pod with its log and its kept tool output. */
import type { PodName } from "@yoi/base";
import { removePod } from "@yoi/pod";
import { openStores, spillDirectory, type Stores } from "../compose/stores.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { removeHostLogs } from "../hosting/host-log.ts";
import { jsonLine } from "../output/json-line.ts";
import type { JsonFlag } from "../program/act.ts";

/** What is kept of a Pod beside its log. */
async function removeKept({ host: { files }, dataDir }: Stores, pod: PodName): Promise<void> {
  await files.removeTree(spillDirectory(dataDir, pod));
  await removeHostLogs(files, dataDir, pod);
}

export async function podRm(name: string, flags: JsonFlag): Promise<number> {
  const stores = openStores(readEnvironment());
  const removed = await removePod(stores, name, (pod) => removeKept(stores, pod));
  if (flags.json === true) {
    const { session, damage } = removed;
    process.stdout.write(jsonLine({ removed: removed.name, session_id: session, damage }));
  } else if (removed.damage === null) process.stdout.write(`Removed the Pod ${removed.name} and its log.\n`);
  else {
    process.stdout.write(`Removed the Pod ${removed.name}.\n`);
    process.stderr.write(
      `Its log is left below ${stores.dataDir}/sessions: its damaged metadata no longer said which one it is.\n`,
    );
  }
  return exitCode.done;
}
