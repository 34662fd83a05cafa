/** `yoi pod log`: the entries of a Pod's log, of one segment or of all, as far as they are good; with -f also those that come. */
import { escapeControls, isKnown, type LogEntry, YoiError } from "@yoi/base";
import { describeEntry } from "@yoi/pod";
import type { Cursor } from "@yoi/protocol";
import type { SegmentView } from "@yoi/session-store";
import { connectPod } from "../client/connect-pod.ts";
import { type Reach, reachAs } from "../client/pod-command.ts";
import { StreamEnd } from "../client/stream-end.ts";
import { exitCode } from "../exit-code.ts";
import { isHost, ownerOf } from "../hosting/owner-of.ts";
import { jsonLine } from "../output/json-line.ts";
import { plainEntry } from "../output/plain-entry.ts";
import { chosenSegments, type SegmentFlags } from "./log-segments.ts";

export interface LogFlags extends SegmentFlags {
  readonly json?: boolean;
  readonly follow?: boolean;
}

type Print = (entry: LogEntry, generation: number) => void;

export async function podLog(name: string, flags: LogFlags): Promise<number> {
  const reach = reachAs("log");
  const { record, segments, active, missing } = await chosenSegments(reach.stores, name, flags);
  const last = segments.at(-1);
  if (flags.follow === true && last?.ref.segment !== active)
    throw new YoiError("usage", "-f follows the segment that is written: leave --segment out.");
  const print: Print = (entry, generation) => {
    const line = flags.json === true ? jsonLine(plainEntry(entry)) : `${describeEntry(entry, generation)}\n`;
    process.stdout.write(line);
  };
  if (missing !== null) say(missing);
  let damage: YoiError | null = null;
  let after: (Cursor & { readonly generation: number }) | null = null;
  for (const { ref, generation } of segments) {
    if (segments.length > 1 && flags.json !== true) process.stdout.write(`${ref.segment}\n`);
    const view = await reach.stores.sessions.read(ref);
    for (const entry of view.entries) print(entry, generation);
    const owner = ref.segment === active ? await ownerOf(record.name, reach.stores.lease) : null;
    // What is being written right now is not unfinished.
    if (view.tailBytes > 0 && owner === null)
      say(`${view.path} ends in ${view.tailBytes} bytes of an unfinished write, which the next run repairs.`);
    damage ??= damageOf(view);
    const seq = view.entries.at(-1)?.seq;
    after = seq === undefined ? null : { segment: ref.segment, seq, generation };
  }
  // What can be read of the others stands above all the same.
  if (damage !== null) throw damage;
  if (flags.follow === true && isHost(await ownerOf(record.name, reach.stores.lease)))
    return await follow(name, after, { reach, print });
  if (flags.follow === true)
    say(`No process hosts the Pod ${name}, so nothing is followed: this is its log as it is now.`);
  return exitCode.done;
}

function damageOf({ damage, entries }: SegmentView): YoiError | null {
  if (damage === null) return null;
  const { path, line, offset, reason } = damage;
  return new YoiError(
    "log_damaged",
    `${path} is damaged at line ${line}, byte ${offset} (${reason}): the ${entries.length} entries before it are good and stand above; what follows is not used.`,
    { place: { path, line, offset } },
  );
}

/** Until Ctrl-C, or the Pod closes in order; over its kills and restores. */
async function follow(
  name: string,
  after: (Cursor & { readonly generation: number }) | null,
  { reach, print }: { readonly reach: Reach; readonly print: Print },
): Promise<number> {
  const end = new StreamEnd();
  let generation = after?.generation ?? 0;
  const pod = await connectPod(name, {
    ...reach,
    stream: true,
    again: "for_ever",
    ...(after === null ? {} : { after: { segment: after.segment, seq: after.seq } }),
    listener: {
      rotated: (rotation) => {
        generation = rotation.generation;
        say(`The log goes on in the segment ${rotation.segment} (${rotation.why}).`);
      },
      entry: (entry) => {
        if (isKnown(entry) && entry.kind === "segment_start") generation = entry.generation ?? 0;
        print(entry, generation);
      },
      omitted: (seq, kind) => say(`Entry ${seq} (${kind}) is too large to be sent: it is in the log.`),
      snapshot: () => {},
      live: (live) => end.live(live),
      restarted: () => say("What follows is from the start of the log."),
      disconnected: (why) => {
        if (end.disconnected()) say(`Connection lost (${why}) Waiting for the Pod; Ctrl-C leaves.`);
      },
    },
  });
  const ended = await end.of(pod);
  if (ended.kind === "shut_down") say(`The Pod ${name} was shut down.`);
  return ended.kind === "left" && ended.signal === "SIGTERM" ? exitCode.terminated : exitCode.done;
}

function say(text: string): void {
  process.stderr.write(`yoi: ${escapeControls(text)}\n`);
}
