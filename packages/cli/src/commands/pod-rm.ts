/** `yoi pod rm`: removes a Pod with its log and its kept tool output. */
import { removePod } from "@yoi/pod";
import { openStores, spillDirectory } from "../compose/stores.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import type { JsonFlag } from "../program/act.ts";

export async function podRm(name: string, flags: JsonFlag): Promise<number> {
  const stores = openStores(readEnvironment());
  const removed = await removePod(stores, name, (pod) =>
    stores.host.files.removeTree(spillDirectory(stores.dataDir, pod)),
  );
  if (flags.json === true) {
    const { session, damage } = removed;
    process.stdout.write(`${JSON.stringify({ removed: removed.name, session_id: session, damage })}\n`);
  } else if (removed.damage === null) process.stdout.write(`Removed the Pod ${removed.name} and its log.\n`);
  else {
    process.stdout.write(`Removed the Pod ${removed.name}.\n`);
    process.stderr.write(
      `Its log is left below ${stores.dataDir}/sessions: its damaged metadata no longer said which one it is.\n`,
    );
  }
  return exitCode.done;
}
