/** Child output: what a child's model said behind a cursor, read from the child's log; what it is doing, as it says itself. */
import { cutUtf8, type LogEntry, utf8Length, YoiError } from "@yoi/base";
import { type OutputCursor, type PodOutput, podOutputBytesMax } from "@yoi/feature";
import type { PodRecord, PodStore } from "@yoi/pod-store";
import type { LogPiece, SegmentRef, SessionStore } from "@yoi/session-store";
import { type LiveStatePorts, nobodyHasIt, probing, stateOf } from "./live-state.ts";
import { damagePlace } from "./child-endings.ts";
import { activeOf, childLogBehind, type ChildLogStores } from "./child-log.ts";
import { childNamed } from "./named-child.ts";
import { isMeant } from "./same-pod.ts";

export interface ChildOutputPorts extends ChildLogStores, LiveStatePorts {
  readonly pods: Pick<PodStore, "read" | "pathOf">;
  readonly sessions: ChildLogStores["sessions"] & Pick<SessionStore, "attach">;
}

/**
 * What is said to a cursor is never said again, also where the child's log was rotated in between.
 * @param own the reader's metadata. Throws child_unknown for what is no child of it, and what reading the child's metadata and log throws.
 */
export async function readOutput(
  ports: ChildOutputPorts,
  own: Pick<PodRecord, "name" | "pointer" | "children" | "reclaimed">,
  name: string,
  after: OutputCursor | null,
): Promise<PodOutput> {
  const child = await childNamed(ports.pods, own, name);
  const isThere = isMeant(await ports.pods.read(child.name), child);
  // Asked first: what a child said before it became idle is in what is read then.
  const { state, approvals } = isThere
    ? await probing(ports.timers, (signal) => stateOf(child.name, ports, signal))
    : nobodyHasIt;
  const active = await activeOf(ports, child);
  const nothing: Said = { texts: [], more: false, cursor: after, damage: null };
  return { ...(active === null ? nothing : await saidBehind(ports, active, after)), state, approvals };
}

/** Where the log is to be read from: an answer of which a part was said is read again. */
function placeOf(after: OutputCursor | null): OutputCursor | null {
  if (after?.bytes === undefined) return after;
  return { segment: after.segment, seq: after.seq - 1 };
}

type Said = Omit<PodOutput, "state" | "approvals">;

async function saidBehind(
  ports: ChildOutputPorts,
  active: SegmentRef,
  after: OutputCursor | null,
): Promise<Said> {
  const texts: string[] = [];
  let bytes = 0;
  let cursor = after;
  let damage: string | null = null;
  for await (const piece of childLogBehind(ports, active, placeOf(after))) {
    const { segment } = piece;
    for (const entry of piece.entries) {
      const said = saidBytes(after, segment, entry.seq);
      const text = behind(await saidIn(ports.sessions, { session: active.session, segment }, entry), said);
      const size = utf8Length(text);
      if (texts.length > 0 && bytes + size > podOutputBytesMax) return { texts, more: true, cursor, damage };
      if (size > podOutputBytesMax) {
        const { shown, cutBytes } = cut(text, size);
        const inside = { segment, seq: entry.seq, bytes: said + cutBytes };
        return { texts: [shown], more: true, cursor: inside, damage };
      }
      bytes += size;
      if (size > 0) texts.push(text);
      cursor = { segment, seq: entry.seq };
    }
    if (piece.damage !== null) damage ??= damagePlace(piece.damage);
  }
  return { texts, more: false, cursor, damage };
}

function saidBytes(after: OutputCursor | null, segment: string, seq: number): number {
  return after?.segment === segment && after.seq === seq ? (after.bytes ?? 0) : 0;
}

function behind(text: string, bytes: number): string {
  return text.slice(cutUtf8(text, bytes).length);
}

/** Empty: nothing. */
async function saidIn(
  sessions: Pick<SessionStore, "attach">,
  ref: SegmentRef,
  entry: LogPiece["entries"][number],
): Promise<string> {
  if (!("detached" in entry)) return textOf(entry);
  if (entry.kind !== "assistant_item") return "";
  try {
    return textOf(await sessions.attach(ref, entry));
  } catch (error) {
    if (!(error instanceof YoiError) || error.code !== "blob_damaged") throw error;
    // What comes behind it can be read all the same.
    return `[An answer cannot be read: ${error.message}]`;
  }
}

function textOf(entry: LogEntry): string {
  if ("opaque" in entry || entry.kind !== "assistant_item" || entry.item.type !== "assistant_message")
    return "";
  const { text, status } = entry.item;
  if (text.trim() === "") return "";
  return status === "incomplete" ? `${text}\n[This answer was cut off before its end.]` : text;
}

/** With what it says of the rest, no longer than one read may be: more would be refused at each try. */
function cut(text: string, bytes: number): { readonly shown: string; readonly cutBytes: number } {
  const note = (more: number) => `\n[${more} more bytes of this answer come with the next read.]`;
  const start = cutUtf8(text, podOutputBytesMax - utf8Length(note(bytes)));
  const cutBytes = utf8Length(start);
  return { shown: start + note(bytes - cutBytes), cutBytes };
}
