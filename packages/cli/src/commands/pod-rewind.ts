/** `yoi pod rewind`: the places that a Pod's session can go back to, and going back to one. */
import { flattenInput, type PodName, YoiError } from "@yoi/base";
import {
  type FileTold,
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
import { runPurpose } from "@yoi/pod-store";
import type { Methods } from "@yoi/protocol";
import { type Reach, reachAs, withPod } from "../client/pod-command.ts";
import { openConfiguredPod, sayFound } from "../compose/open-pod.ts";
import { readsOnly } from "../compose/reads-only.ts";
import { exitCode } from "../exit-code.ts";
import { isHost, ownerOf } from "../hosting/owner-of.ts";
import { alertText } from "../output/alert-text.ts";
import { filesText } from "../output/files-text.ts";
import { jsonLine } from "../output/json-line.ts";
import { tableText } from "../output/table.ts";
import type { JsonFlag } from "../program/act.ts";
import { watchRunStop } from "../run-stop.ts";
import { version } from "../version.ts";

export interface PlaceFlags extends JsonFlag {
  readonly to?: string;
  readonly before?: string;
}
export interface RewindFlags extends PlaceFlags {
  readonly all?: boolean;
  readonly files?: boolean;
}

export async function podRewind(given: string, flags: RewindFlags): Promise<number> {
  const reach = reachAs("rewind");
  const { name } = await findPod(reach.stores.pods, given);
  const target = targetOf(flags);
  if (target === null) {
    if (flags.files === true)
      throw new YoiError(
        "usage",
        "--files puts files back as they were at a place: name it with --to or --before.",
      );
    return list(name, reach, flags);
  }
  if (flags.all === true) throw new YoiError("usage", "--all lists places: leave it out to go to one.");
  const rewound = await rewindOne(name, reach, { ...target, files: flags.files ?? false });
  const { input } = rewound;
  if (flags.json === true) process.stdout.write(jsonLine({ pod: name, ...rewound }));
  else {
    process.stdout.write(`${rewoundText(name, rewound)}\n`);
    process.stdout.write(filesText(rewound.files, rewound.files_lost));
    if (rewound.files.some(({ outcome }) => outcome === "restorable"))
      process.stdout.write(`${commandOf(name, target)} --files puts those back that can be.\n`);
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

type Target = Pick<RewindRequest, "id" | "side">;
type Told = Methods["rewind"]["result"];

async function rewindOne(
  name: PodName,
  reach: Reach,
  wish: Target & { readonly files: boolean },
): Promise<Told> {
  const { stores } = reach;
  if (isHost(await ownerOf(name, stores.lease)))
    return withPod(name, reach, (pod) => pod.call("rewind", wish));
  if (wish.files) return toldOf(await rewindOpened(name, reach, wish));
  const { ids } = stores.host;
  const { id, side } = wish;
  return toldOf(await rewindClosed(stores, name, { id, side, ids, version, isReadOnly: await readsOnly() }));
}

/** As `yoi run` opens it, for this alone: what it may write is held by nobody else then. */
async function rewindOpened(
  name: PodName,
  { environment, stores }: Reach,
  wish: RewindRequest,
): Promise<Rewound> {
  const say = (text: string) => void process.stderr.write(`yoi: ${text}\n`);
  using stop = watchRunStop(stores.host, null, "Stopped by a signal before anything was taken back.");
  const { pod } = await openConfiguredPod({
    name,
    workspace: null,
    flags: {},
    environment,
    stores,
    mustExist: true,
    mustBeNew: false,
    purpose: runPurpose,
    socket: null,
    say,
    observer: (event) => {
      if (event.type === "alert") say(alertText(event.alert));
    },
    signal: stop.signal,
    abandoned: () => {},
  });
  try {
    sayFound(pod, say);
    return await pod.rewind(wish);
  } finally {
    await pod.close();
  }
}

function toldOf({ filesLost, ...rewound }: Rewound): Told {
  return { ...rewound, files_lost: filesLost };
}

function commandOf(name: PodName, { id, side }: Target): string {
  return `yoi pod rewind ${name} ${side === "before" ? "--before" : "--to"} ${id}`;
}

function rewoundText(name: PodName, { kept, left, turns, effects, files, again }: Told): string {
  const standing = files.filter(({ outcome }) => !isBack(outcome)).length;
  const isChanged = files.some(({ outcome }) => outcome === "restored" || outcome === "removed");
  const undone = [
    ...(effects === 0
      ? []
      : [`${effects} call${effects === 1 ? " or command" : "s or commands"} that can have effects`]),
    ...(standing === 0 ? [] : [`changes to ${standing} file${standing === 1 ? "" : "s"}`]),
  ];
  return [
    `The session of ${name} is at the entry ${kept} now, ${turns === 1 ? "1 turn" : `${turns} turns`} long.`,
    ...(undone.length === 0 ? [] : [`What was done since stands: ${undone.join("; ")}.`]),
    ...(again === 0
      ? []
      : [`${again} notification${again === 1 ? "" : "s"} that it knew wait${again === 1 ? "s" : ""} again.`]),
    `Nothing is lost: \`yoi pod rewind ${name} --to ${left}${isChanged ? " --files" : ""}\` undoes this.`,
  ].join(" ");
}

function isBack(outcome: FileTold["outcome"]): boolean {
  return outcome === "restored" || outcome === "removed" || outcome === "unchanged";
}

async function list(name: PodName, reach: Reach, { all, json }: RewindFlags): Promise<number> {
  const limit = all === true ? targetsMax : targetsDefault;
  const { stores } = reach;
  const { targets, more } = isHost(await ownerOf(name, stores.lease))
    ? await withPod(name, reach, (pod) => pod.call("list_rewind_targets", { limit }))
    : await targetsOf(stores, name, { limit, isReadOnly: await readsOnly() });
  if (json === true) {
    process.stdout.write(jsonLine({ pod: name, targets, more }));
    return exitCode.done;
  }
  if (targets.length === 0) {
    process.stdout.write(`${name} has no place to go back to: nothing was asked of it yet.\n`);
    return exitCode.done;
  }
  process.stdout.write(tableText(["PLACE", "TURNS", "WHEN", "SINCE", "WHAT"], targets.map(rowOf)));
  if (more)
    process.stdout.write(
      all === true
        ? `There are older ones than these ${targetsMax}: any entry's id is a place, and \`yoi pod log ${name}\` shows them.\n`
        : "There are older ones: --all lists them.\n",
    );
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
