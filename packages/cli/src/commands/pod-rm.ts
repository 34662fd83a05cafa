/** `yoi pod rm`: removes a Pod with its log and its kept tool output. */
import { removePod } from "@yoi/pod";
import { openStores, spillDirectory } from "../compose/stores.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import type { JsonFlag } from "../program.ts";

export async function podRm(name: string, flags: JsonFlag): Promise<number> {
  const stores = openStores(readEnvironment());
  const removed = await removePod(stores, name);
  await stores.host.files.removeTree(spillDirectory(stores.dataDir, removed));
  process.stdout.write(
    flags.json === true ? `${JSON.stringify({ removed })}\n` : `Removed the Pod ${removed} and its log.\n`,
  );
  return exitCode.done;
}
