/** `yoi pod title`: what the user calls a Pod, beside its name, which never changes. */
import { escapeControls, type PodName, YoiError } from "@yoi/base";
import { checkedTitle, findPod, setTitleClosed } from "@yoi/pod";
import { type Reach, reachAs, withPod } from "../client/pod-command.ts";
import { exitCode } from "../exit-code.ts";
import { isHost, ownerOf } from "../hosting/owner-of.ts";
import { printResult } from "../output/print-result.ts";
import type { JsonFlag } from "../program/act.ts";

export interface TitleFlags extends JsonFlag {
  readonly clear?: boolean;
}

/** @param given null: it is shown, or with `clear` taken away. */
export async function podTitle(name: string, given: string | null, flags: TitleFlags): Promise<number> {
  if (flags.clear === true && given !== null)
    throw new YoiError("usage", "--clear takes the title away: give a title, or --clear, not both.");
  const reach = reachAs("title");
  const { stores } = reach;
  const record = await findPod(stores.pods, name);
  const before = record.title ?? null;
  if (given === null && flags.clear !== true) {
    printResult(flags, { pod: record.name, title: before }, escapeControls(before ?? "It has no title."));
    return exitCode.done;
  }
  const title = await setPodTitle(record.name, given, reach);
  const sentence =
    title === null
      ? `The Pod ${record.name} has no title any more.`
      : `The Pod ${record.name} is titled: ${title}`;
  printResult(flags, { pod: record.name, title }, sentence);
  return exitCode.done;
}

/** As it is kept; null: it has none any more. */
export async function setPodTitle(name: PodName, given: string | null, reach: Reach): Promise<string | null> {
  const { stores } = reach;
  const title = checkedTitle(given);
  // The Pod's own process writes its metadata while there is one that takes clients.
  if (isHost(await ownerOf(name, stores.lease)))
    await withPod(name, reach, (pod) => pod.call("set_title", { title }));
  else await setTitleClosed(stores, name, title);
  return title;
}
