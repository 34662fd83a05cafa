/** `yoi pod rewind`: the places that a Pod's session can go back to, and going back to one. */
import { flattenInput, type PodName, YoiError } from "@yoi/base";
import {
  findPod,
  isoTime,
  rewindClosed,
  type RewindRequest,
  type RewindTarget,
  type Rewound,
  targetsDefault,
  targetsMax,
  targetsOf,
} from "@yoi/pod";
import { type Reach, reachAs, withPod } from "../client/pod-command.ts";
import { readsOnly } from "../compose/reads-only.ts";
import { exitCode } from "../exit-code.ts";
import { isHost, ownerOf } from "../hosting/owner-of.ts";
import { jsonLine } from "../output/json-line.ts";
import { tableText } from "../output/table.ts";
import type { JsonFlag } from "../program/act.ts";
import { version } from "../version.ts";

export interface PlaceFlags extends JsonFlag {
  readonly to?: string;
  readonly before?: string;
}
export interface RewindFlags extends PlaceFlags {
  readonly all?: boolean;
}

export async function podRewind(given: string, flags: RewindFlags): Promise<number> {
  const reach = reachAs("rewind");
  const { name } = await findPod(reach.stores.pods, given);
  const target = targetOf(flags);
  if (target === null) return list(name, reach, flags);
  if (flags.all === true) throw new YoiError("usage", "--all lists places: leave it out to go to one.");
  const rewound = await rewindOne(name, reach, target);
  const { input } = rewound;
  if (flags.json === true) process.stdout.write(jsonLine({ pod: name, ...rewound }));
  else {
    process.stdout.write(`${rewoundText(name, rewound)}\n`);
    // What was asked there, to be asked otherwise.
    if (input !== null) process.stderr.write(`The input that is left behind:\n${flattenInput(input)}\n`);
  }
  return exitCode.done;
}

/** Null: no place is named. */
export function targetOf({ to, before }: PlaceFlags): Pick<RewindRequest, "id" | "side"> | null {
  if (to !== undefined) return { id: to, side: "behind" };
  return before === undefined ? null : { id: before, side: "before" };
}

async function rewindOne(
  name: PodName,
  reach: Reach,
  target: Pick<RewindRequest, "id" | "side">,
): Promise<Rewound | Awaited<ReturnType<typeof askToRewind>>> {
  const { stores } = reach;
  if (isHost(await ownerOf(name, stores.lease))) return askToRewind(name, reach, target);
  const { ids } = stores.host;
  return rewindClosed(stores, name, { ...target, ids, version, isReadOnly: readsOnly() });
}

function askToRewind(name: PodName, reach: Reach, target: Pick<RewindRequest, "id" | "side">) {
  return withPod(name, reach, (pod) => pod.call("rewind", target));
}

function rewoundText(
  name: PodName,
  { kept, left, turns, effects, touched, again }: Awaited<ReturnType<typeof rewindOne>>,
): string {
  const undone = [
    ...(effects === 0 ? [] : [`${effects} tool call${effects === 1 ? "" : "s"} that can have effects`]),
    ...(touched.length === 0 ? [] : [`changes to ${touched.join(", ")}`]),
  ];
  return [
    `The session of ${name} is at the entry ${kept} now, ${turns === 1 ? "1 turn" : `${turns} turns`} long.`,
    ...(undone.length === 0 ? [] : [`What was done since stands: ${undone.join("; ")}.`]),
    ...(again === 0
      ? []
      : [`${again} notification${again === 1 ? "" : "s"} that it knew wait${again === 1 ? "s" : ""} again.`]),
    `Nothing is lost: \`yoi pod rewind ${name} --to ${left}\` undoes this.`,
  ].join(" ");
}

async function list(name: PodName, reach: Reach, { all, json }: RewindFlags): Promise<number> {
  const limit = all === true ? targetsMax : targetsDefault;
  const { stores } = reach;
  const { targets, more } = isHost(await ownerOf(name, stores.lease))
    ? await withPod(name, reach, (pod) => pod.call("list_rewind_targets", { limit }))
    : await targetsOf(stores, name, { limit, isReadOnly: readsOnly() });
  if (json === true) {
    process.stdout.write(jsonLine({ pod: name, targets, more }));
    return exitCode.done;
  }
  if (targets.length === 0) {
    process.stdout.write(`${name} has no place to go back to: nothing was asked of it yet.\n`);
    return exitCode.done;
  }
  process.stdout.write(tableText(["PLACE", "TURNS", "WHEN", "SINCE", "WHAT"], targets.map(rowOf)));
  if (more) process.stdout.write("There are older ones: --all lists them.\n");
  return exitCode.done;
}

function rowOf({ id, side, turn, ts, preview, effects, kind }: Omit<RewindTarget, "segment">): string[] {
  const flag = side === "before" ? "--before" : "--to";
  const since =
    effects === null ? "left" : effects === 0 ? "-" : `${effects} call${effects === 1 ? "" : "s"}`;
  return [
    `${flag} ${id}`,
    String(turn),
    isoTime(ts).slice(0, 16).replace("T", " "),
    since,
    kind === "input" ? `> ${preview}` : preview,
  ];
}
