/** `yoi tree`: the Pods of this data directory as a forest, with what each holds, lent, does and used. */
import { escapeControls } from "@yoi/base";
import { podTree } from "@yoi/pod";
import { podsNow } from "../client/pod-now.ts";
import { openStores } from "../compose/stores.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import { treeJson } from "../output/tree-json.ts";
import { treeText } from "../output/tree-text.ts";
import { allOf, totalOf } from "../output/tree-total.ts";
import type { JsonFlag } from "../program/act.ts";

export async function tree(name: string | undefined, flags: JsonFlag): Promise<number> {
  const environment = readEnvironment();
  const stores = openStores(environment);
  const roots = await podTree(stores, name ?? null);
  const pods = allOf(roots);
  const now = await podsNow(pods, { environment, stores, client: "tree" });
  const total = totalOf(roots);
  if (flags.json === true) {
    process.stdout.write(jsonLine(treeJson(roots, now, total)));
    return exitCode.done;
  }
  if (pods.length === 0) {
    process.stdout.write('No Pods yet: `yoi run "what to do"` starts one, `yoi demo` shows one.\n');
    return exitCode.done;
  }
  process.stdout.write(treeText(roots, now, total));
  for (const { error } of pods) if (error !== null) process.stderr.write(`yoi: ${escapeControls(error)}\n`);
  return exitCode.done;
}
