/** `yoi pod log`: the entries of a Pod's log, as far as they are good; with -f also those that come. */
import { escapeControls, type LogEntry, YoiError } from "@yoi/base";
import { describeEntry, readActive } from "@yoi/pod";
import type { Cursor } from "@yoi/protocol";
import { connectPod } from "../client/connect-pod.ts";
import { type Reach, reachAs } from "../client/pod-command.ts";
import { StreamEnd } from "../client/stream-end.ts";
import { exitCode } from "../exit-code.ts";
import { isHost, ownerOf } from "../hosting/owner-of.ts";
import { jsonLine } from "../output/json-line.ts";
import { plainEntry } from "../output/plain-entry.ts";

export interface LogFlags {
  readonly json?: boolean;
  readonly follow?: boolean;
}

type Print = (entry: LogEntry) => void;

export async function podLog(name: string, flags: LogFlags): Promise<number> {
  const reach = reachAs("log");
  const { record, segment, view } = await readActive(reach.stores, name);
  const print: Print = (entry) => {
    process.stdout.write(flags.json === true ? jsonLine(plainEntry(entry)) : `${describeEntry(entry)}\n`);
  };
  for (const entry of view.entries) print(entry);
  const owner = await ownerOf(record.name, reach.stores.lease);
  // What is being written right now is not unfinished.
  if (view.tailBytes > 0 && owner === null)
    say(`${view.path} ends in ${view.tailBytes} bytes of an unfinished write, which the next run repairs.`);
  if (view.damage !== null) {
    const { path, line, offset, reason } = view.damage;
    throw new YoiError(
      "log_damaged",
      `${path} is damaged at line ${line}, byte ${offset} (${reason}): the ${view.entries.length} entries before it are good and stand above; what follows is not used.`,
      { place: { path, line, offset } },
    );
  }
  if (flags.follow === true && isHost(owner)) {
    const seq = view.entries.at(-1)?.seq;
    return await follow(name, seq === undefined ? null : { segment, seq }, { reach, print });
  }
  if (flags.follow === true)
    say(`No process hosts the Pod ${name}, so nothing is followed: this is its log as it is now.`);
  return exitCode.done;
}

/** Until Ctrl-C, or the Pod closes in order; over its kills and restores. */
async function follow(
  name: string,
  after: Cursor | null,
  { reach, print }: { readonly reach: Reach; readonly print: Print },
): Promise<number> {
  const end = new StreamEnd();
  const pod = await connectPod(name, {
    ...reach,
    stream: true,
    again: "for_ever",
    ...(after === null ? {} : { after }),
    listener: {
      entry: print,
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
