/** `yoi attach` as lines, for scripts, screen readers and terminals that can do no more: follows a Pod, over kills and restores, and gives it what is typed. */
import { escapeControls } from "@yoi/base";
import { findNamed } from "@yoi/pod";
import type { Cursor, PodView } from "@yoi/protocol";
import { AttachSession } from "../client/attach-session.ts";
import { connectPod, type ReachedPod } from "../client/connect-pod.ts";
import { pastedLines } from "../client/pasted-lines.ts";
import { type Reach, reachAs, withPod } from "../client/pod-command.ts";
import { StreamEnd } from "../client/stream-end.ts";
import { openTypedLines, stdoutScreen } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { FailedAs, failureOf } from "../failure.ts";

export interface LineFlags {
  readonly json?: boolean;
  readonly tail: number;
  readonly all?: boolean;
  readonly once?: boolean;
}

/** Entries behind one block of lines, at most, in a log that is read from its end. */
const entriesPerBlock = 16;
/** So many that a call that waits is among them. */
const entriesMin = 256;

export async function attachLines(name: string, flags: LineFlags): Promise<number> {
  const reach = reachAs("attach");
  let attached: Attached;
  try {
    attached = await reached(name, flags, reach);
  } catch (error) {
    throw new FailedAs({ ...failureOf(error), exitCode: exitCode.attachFailed });
  }
  return await follow(attached, reach, flags);
}

interface Attached {
  readonly pod: ReachedPod;
  readonly session: AttachSession;
  readonly end: StreamEnd;
}

async function reached(given: string, flags: LineFlags, reach: Reach): Promise<Attached> {
  const { stores } = reach;
  const { name } = await findNamed(stores.pods, given);
  const json = flags.json === true;
  const view = await withPod(name, reach, (pod) => pod.call("show", {}));
  const end = new StreamEnd();
  const session = new AttachSession({
    name,
    json,
    waits: flags.once !== true,
    end,
    tail: flags.all === true ? null : flags.tail,
    isAttended: isAttended(reach, flags),
    screen: stdoutScreen,
    write: (text) => void process.stdout.write(text),
    say: (text) => void process.stderr.write(`yoi: ${escapeControls(text.trimEnd(), "newline-tab")}\n`),
    newId: () => stores.host.ids.uuidV7(),
    now: () => stores.host.clock.monotonic(),
  });
  const pod = await connectPod(name, {
    ...reach,
    stream: true,
    listener: session,
    ...placeBefore(view, flags),
    ...(flags.once === true ? {} : { again: "for_ever" }),
  });
  return { pod, session, end };
}

/** Until the person leaves, the Pod closes in order, or there is nothing to follow any more. */
async function follow({ pod, session, end }: Attached, reach: Reach, flags: LineFlags): Promise<number> {
  using lines = isAttended(reach, flags) ? await openTypedLines(session.echoed) : null;
  if (lines !== null)
    takeTyped(pastedLines(lines.lines, reach.stores.host.timers), session, pod).then(
      () => end.leave(),
      (error: unknown) => end.fail(error),
    );
  const ended = await end.of(pod);
  switch (ended.kind) {
    case "left":
      if (lines !== null) session.say(`Detached: the Pod ${pod.name} goes on.`);
      return ended.signal === "SIGTERM" ? exitCode.terminated : exitCode.done;
    case "shut_down":
      session.say(`The Pod ${pod.name} was shut down: \`yoi pod restore ${pod.name}\` starts it again.`);
      return exitCode.done;
  }
}

/** Until the end of what is typed, or /detach. */
async function takeTyped(
  typed: AsyncIterable<readonly string[]>,
  session: AttachSession,
  pod: ReachedPod,
): Promise<void> {
  for await (const lines of typed) if (!(await session.typed(lines, pod))) return;
}

function isAttended({ environment }: Reach, { json }: LineFlags): boolean {
  return environment.stdin === "terminal" && json !== true;
}

/** Where what is shown of the past begins; nothing: at the start of the log. */
function placeBefore({ segment, seq }: PodView, flags: LineFlags): { readonly after?: Cursor } {
  if (flags.all === true) return {};
  const entries = flags.json === true ? flags.tail : Math.max(entriesMin, flags.tail * entriesPerBlock);
  return seq < entries ? {} : { after: { segment, seq: seq - entries } };
}
