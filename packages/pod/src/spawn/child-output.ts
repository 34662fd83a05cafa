/** Child output: what a child's model said behind a cursor, read from the child's log; what it is doing, as it says itself. */
import { cutUtf8, type LogEntry, type PodName, utf8Length, YoiError } from "@yoi/base";
import { type OutputCursor, type PodOutput, podOutputBytesMax } from "@yoi/feature";
import type { Lease, PodRecord } from "@yoi/pod-store";
import { activeOf, type ChildLogStores, type LogPart, logBehind } from "./child-log.ts";

export interface ChildOutputPorts extends ChildLogStores {
  readonly lease: Pick<Lease, "owner">;
  /** What a hosted Pod says that it does; rejects where it does not answer. */
  readonly ask: (name: PodName) => Promise<Exclude<PodOutput["state"], "stopped" | "unknown">>;
}

/**
 * What is said to a cursor is never said again, also where the child's log was rotated in between.
 * @param own the reader's metadata. Throws child_unknown for what is no child of it.
 */
export async function readOutput(
  ports: ChildOutputPorts,
  own: Pick<PodRecord, "name" | "children" | "reclaimed">,
  name: string,
  after: OutputCursor | null,
): Promise<PodOutput> {
  const child = [...own.children, ...own.reclaimed].find((one) => one.name === name);
  if (child === undefined) {
    throw new YoiError(
      "child_unknown",
      `The Pod ${own.name} has no child named ${name}: ListPods shows those it has.`,
    );
  }
  // Asked first: what a child said before it became idle is in what is read then.
  const state = await stateOf(ports, child.name);
  const active = await activeOf(ports, child);
  if (active === null) return { texts: [], more: false, cursor: after, state };
  return { ...textsOf(await logBehind(ports, active, after), after), state };
}

async function stateOf({ lease, ask }: ChildOutputPorts, name: PodName): Promise<PodOutput["state"]> {
  const held = await lease.owner(name);
  if (held === null || !held.alive) return "stopped";
  try {
    return await ask(name);
  } catch {
    // It ends, begins or hangs: somebody holds it, and what it does is not known.
    return "unknown";
  }
}

function textsOf(parts: readonly LogPart[], after: OutputCursor | null): Omit<PodOutput, "state"> {
  const texts: string[] = [];
  let bytes = 0;
  let cursor = after;
  for (const { segment, entries, from } of parts) {
    for (const entry of entries.slice(from)) {
      const text = saidIn(entry);
      if (text !== null) {
        const size = utf8Length(text);
        if (texts.length > 0 && bytes + size > podOutputBytesMax) return { texts, more: true, cursor };
        bytes += size;
        texts.push(size > podOutputBytesMax ? cut(text, size) : text);
      }
      cursor = { segment, seq: entry.seq };
    }
  }
  return { texts, more: false, cursor };
}

function saidIn(entry: LogEntry): string | null {
  if ("opaque" in entry || entry.kind !== "assistant_item" || entry.item.type !== "assistant_message")
    return null;
  return entry.item.text.trim() === "" ? null : entry.item.text;
}

/** With what it says of the rest, no longer than one read may be: more would be refused at each try. */
function cut(text: string, bytes: number): string {
  const note = (more: number) => `\n[${more} more bytes of this answer are in the child's log.]`;
  const start = cutUtf8(text, podOutputBytesMax - utf8Length(note(bytes)));
  return start + note(bytes - utf8Length(start));
}
