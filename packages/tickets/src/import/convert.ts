/** convert: an old ticket, as it was read, becomes the files of a ticket of today. */
import { isUtf8 } from "node:buffer";
import type { JsonObject } from "@yoi/base";
import { utf8Length } from "@yoi/base";
import { headerCharsMax } from "../event-header.ts";
import { foldThread } from "../fold.ts";
import { legacyField, type OldBucket } from "../legacy-fields.ts";
import { normalizeBody } from "../lines.ts";
import { artifactsName, itemName, resolutionName, threadName } from "../place.ts";
import { renderEvent } from "../render-event.ts";
import { encodeTicketId } from "../ticket-id.ts";
import { msOfTime } from "../time.ts";
import {
  type Actor,
  bodyBytesMax,
  itemBytesMax,
  threadBytesMax,
  type TicketEvent,
  type TicketState,
} from "../ticket.ts";
import { convertItem } from "./convert-item.ts";
import { readOldItem } from "./old-item.ts";
import { readOldThread } from "./old-thread.ts";

/** What stands in the folder of an old ticket. */
export interface OldTicket {
  readonly bucket: OldBucket;
  /** Its id: the name of its folder. */
  readonly name: string;
  /** Of item.md, thread.md and resolution.md those that are there. */
  readonly texts: ReadonlyMap<string, Uint8Array>;
  /** Paths of all other files, relative to its folder. */
  readonly others: readonly string[];
  /** Paths of folders below its `artifacts/`, relative to that. */
  readonly folders: readonly string[];
}

/** What is written for it. */
export interface Converted {
  readonly title: string;
  readonly createdMs: number;
  /** How many events came in. */
  readonly events: number;
  readonly item: string;
  readonly thread: string;
  /** Null: there is none. */
  readonly resolution: string | null;
  /** What comes to stand below `artifacts/`: these bytes, or those of a file of the old folder. */
  readonly artifacts: ReadonlyMap<string, Uint8Array | { readonly from: string }>;
  /** Below `artifacts/`. */
  readonly folders: readonly string[];
}

/** Why it is none, a sentence's end. */
export interface NoTicket {
  readonly why: string;
}

const stateOf: Readonly<Record<OldBucket, TicketState>> = {
  open: "ready",
  pending: "planning",
  closed: "closed",
};

const unknownResolution = "It was closed before it came in here, and nobody said how it ended.";

export function convert(
  old: OldTicket,
  { actor, nowMs }: { readonly actor: Actor; readonly nowMs: number },
): Converted | NoTicket {
  const itemText = textOf(old.texts.get(itemName));
  if (itemText === null) return { why: "it has no item.md" };
  const oldItem = readOldItem(itemText.text);
  if (oldItem === null) return { why: "its item.md does not begin with front matter between two lines ---" };
  const createdMs = msOfTime(oldItem.created_at ?? "") ?? msOfName(old.name);
  if (createdMs === null || createdMs < 0)
    return { why: "neither its item.md (created_at) nor its name says when it was created" };
  const from = `${old.bucket}/${old.name}`;
  const legacy = { ...oldItem.legacy, id: old.name, from };
  const item = convertItem(oldItem, {
    name: old.name,
    createdMs,
    state: stateOf[old.bucket],
    [legacyField]: legacy,
  });
  const threadText = textOf(old.texts.get(threadName)) ?? { text: "", whole: true };
  const thread = readOldThread(threadText.text);
  const resolution = resolutionOf(old, thread.events);
  const said = migration(old, { actor, nowMs, resolution: resolution?.text ?? null, events: thread.events });
  const events = [...thread.events, said];
  const rendered = dated(events, createdMs).map(renderEvent);
  const newThread = rendered.join("\n");
  const tooLong = whyTooLong(item.text, newThread, rendered);
  if (tooLong !== null) return { why: tooLong };
  const isKept: Readonly<Record<string, boolean>> = {
    [itemName]: !(itemText.whole && oldItem.whole && item.whole && oldIdIs(old.name, oldItem.legacy)),
    [threadName]: !(threadText.whole && thread.whole),
    [resolutionName]: resolution?.whole !== true,
  };
  return {
    title: item.title,
    createdMs,
    events: thread.events.length,
    item: item.text,
    thread: newThread,
    resolution: resolution === null ? null : `${resolution.text}\n`,
    artifacts: artifactsOf(old, (name) => isKept[name] === true),
    folders: old.folders,
  };
}

/** Null: there is none. whole: false: not these bytes, read as well as they can be. */
function textOf(bytes: Uint8Array | undefined): { readonly text: string; readonly whole: boolean } | null {
  if (bytes === undefined) return null;
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return { text, whole: isUtf8(bytes) && !bytes.includes(0) };
}

/** The old tool named folders by the time at which it made them, to the second. */
function msOfName(name: string): number | null {
  const found = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)(?:-|$)/.exec(name);
  if (found === null) return null;
  const [, year, month, day, hours, minutes, seconds] = found;
  return msOfTime(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`);
}

function oldIdIs(name: string, legacy: JsonObject): boolean {
  return legacy["id"] === undefined || legacy["id"] === name;
}

/** Null: the ticket is not closed. whole: false: another text stood in resolution.md. */
function resolutionOf(
  { bucket, texts }: OldTicket,
  events: readonly TicketEvent[],
): { readonly text: string; readonly whole: boolean } | null {
  if (bucket !== "closed") return null;
  const bytes = texts.get(resolutionName);
  const found = textOf(bytes);
  const said = foldThread(events).resolution ?? "";
  if (found === null) return { text: said === "" ? unknownResolution : said, whole: true };
  const text = normalizeBody(found.text);
  if (utf8Length(text) > bodyBytesMax || text === "")
    return { text: said === "" ? unknownResolution : said, whole: false };
  return { text, whole: found.whole && found.text === `${text}\n` };
}

function migration(
  { bucket, name }: OldTicket,
  from: {
    readonly actor: Actor;
    readonly nowMs: number;
    readonly resolution: string | null;
    readonly events: readonly TicketEvent[];
  },
): TicketEvent {
  const { actor, nowMs, resolution, events } = from;
  // What closed it says its resolution already, where it said the same.
  const body = resolution === null || foldThread(events).resolution === resolution ? "" : resolution;
  return {
    id: "",
    kind: "migration",
    author: actor.author,
    role: actor.role,
    at: new Date(nowMs).toISOString(),
    to: stateOf[bucket],
    reason: `${bucket}/${name} of an old layout`,
    body,
  };
}

/** With ids, each greater than the one before it: of the time at which the event was, where that is later. */
function dated(events: readonly TicketEvent[], createdMs: number): readonly TicketEvent[] {
  let lastMs = createdMs - 1;
  return events.map((event) => {
    lastMs = Math.max(msOfTime(event.at) ?? 0, lastMs + 1);
    return { ...event, id: encodeTicketId(lastMs) };
  });
}

function whyTooLong(item: string, thread: string, events: readonly string[]): string | null {
  if (utf8Length(item) > itemBytesMax) return `its item.md would have more than ${itemBytesMax} bytes`;
  if (utf8Length(thread) > threadBytesMax)
    return `its thread.md would have more than ${threadBytesMax} bytes`;
  const isHeaderLong = events.some((event) => event.indexOf("\n") > headerCharsMax);
  return isHeaderLong ? `the header of an event would have more than ${headerCharsMax} characters` : null;
}

/** What the ticket cannot say as it was stands beside it, word for word, under a name that no artifact has. */
function artifactsOf(old: OldTicket, isKept: (name: string) => boolean): Converted["artifacts"] {
  const artifacts = new Map<string, Uint8Array | { readonly from: string }>();
  const rest: string[] = [];
  for (const path of old.others) {
    if (path.startsWith(`${artifactsName}/`))
      artifacts.set(path.slice(artifactsName.length + 1), { from: path });
    else rest.push(path);
  }
  const taken = new Set([...artifacts.keys(), ...old.folders].map((path) => path.split("/")[0]));
  let folder = "legacy";
  for (let probe = 2; taken.has(folder); probe += 1) folder = `legacy-${probe}`;
  for (const [name, bytes] of old.texts) if (isKept(name)) artifacts.set(`${folder}/${name}`, bytes);
  for (const path of rest) artifacts.set(`${folder}/${path}`, { from: path });
  return artifacts;
}
