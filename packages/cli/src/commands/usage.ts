/** `yoi usage`: what Pods used, from every record of their logs. */
import { escapeControls, type Spent } from "@yoi/base";
import { podUsage, type PodUsage, totalSpent } from "@yoi/pod";
import { openStores } from "../compose/stores.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import { usageJson } from "../output/usage-json.ts";
import { usageText } from "../output/usage-text.ts";
import type { JsonFlag } from "../program/act.ts";

export interface UsageFlags extends JsonFlag {
  readonly tree?: boolean;
  readonly verify?: boolean;
}

export async function usage(name: string | undefined, flags: UsageFlags): Promise<number> {
  const verify = flags.verify === true;
  const all = name === undefined;
  const stores = openStores(readEnvironment());
  const pods = await podUsage(stores, { name: name ?? null, tree: all || flags.tree === true, verify });
  const flat = allOf(pods);
  const total = totalOf(pods);
  // What cannot be read is not shown to be right. Of a Pod that was removed there is nothing to hold against anything.
  const isVerified = flat.every(
    ({ problems, error, removed }) => removed || (problems.length === 0 && error === null),
  );
  if (flags.json === true) {
    process.stdout.write(jsonLine(usageJson(pods, total, verify ? isVerified : null)));
  } else if (flat.length === 0) {
    process.stdout.write('No Pods yet: `yoi run "what to do"` starts one, `yoi demo` shows one.\n');
  } else {
    process.stdout.write(usageText(pods, total));
    if (verify && isVerified)
      process.stdout.write("Verified: the records add up to what the logs say was used.\n");
  }
  for (const pod of flat)
    for (const sentence of [...(pod.error === null ? [] : [pod.error]), ...pod.problems])
      process.stderr.write(`yoi: ${escapeControls(`${pod.name}: ${sentence}`)}\n`);
  return verify && !isVerified ? exitCode.failed : exitCode.done;
}

/** Of all of them together, what is left of removed ones included. */
export function totalOf(pods: readonly PodUsage[]): { readonly pods: number; readonly spent: Spent } {
  return { pods: allOf(pods).filter(({ removed }) => !removed).length, spent: totalSpent(pods) };
}

export function allOf(pods: readonly PodUsage[]): readonly PodUsage[] {
  return pods.flatMap((pod) => [pod, ...allOf(pod.children)]);
}
