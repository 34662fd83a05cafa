/** Catalog: every ticket of a root in short, read again only where its files changed. */
import { dirname, join } from "node:path/posix";
import { type ErrorCode, inParallel, YoiError } from "@yoi/base";
import type { ParsedItem } from "./item.ts";
import { folderOf, isRootThere, itemName, threadName, type TicketPlace } from "./place.ts";
import { findTicket, readThread, type StoredTicket } from "./stored-ticket.ts";
import { isTicketId } from "./ticket-id.ts";
import type { Relation, ReviewStatus, TicketState } from "./ticket.ts";

/** How a ticket hangs together with others, as its thread says. */
export interface RelatedTicket {
  readonly id: string;
  /** Null: nothing says it. */
  readonly state: TicketState | null;
  readonly relations: readonly Relation[];
}

/** Without what is long. */
export interface TicketDigest extends RelatedTicket {
  readonly title: string;
  readonly state: TicketState;
  readonly item: Pick<ParsedItem, "created_at" | "updated_at" | "fields">;
  readonly review: ReviewStatus | null;
  /** When the last event was, as written; null: there is none that says it. */
  readonly lastAt: string | null;
  readonly firstAt: string | null;
}

export interface Catalogued {
  /** Oldest first. */
  readonly tickets: readonly TicketDigest[];
  /** Those and the ones whose item.md cannot be read. */
  readonly related: readonly RelatedTicket[];
  /** Ids of folders of which not even the thread can be read. */
  readonly unread: readonly string[];
  /** Folders that cannot be read as tickets, a sentence each. */
  readonly problems: readonly string[];
}

/** What is known of one folder. */
type Entry =
  | { readonly is: "ticket"; readonly digest: TicketDigest }
  | { readonly is: "damaged"; readonly related: RelatedTicket; readonly problem: string }
  | { readonly is: "unread"; readonly problem: string }
  /** What a killed `create` left. */
  | { readonly is: "nothing" };

/** Files that are read at once: more waits for the disk no less. */
const readsAtOnceMax = 32;

export class Catalog {
  readonly #place: TicketPlace;
  /** What was read of a ticket, and what its files were then. */
  readonly #known = new Map<string, { readonly stamp: string; readonly entry: Entry }>();

  constructor(place: TicketPlace) {
    this.#place = place;
  }

  /** Throws what the disk throws, and permission_denied where the root is a link; a single ticket that cannot be read is a problem in it. */
  async all(): Promise<Catalogued> {
    const ids = await ticketIds(this.#place);
    const entries = await inParallel(ids, readsAtOnceMax, async (id) => ({
      id,
      entry: await this.#entry(id),
    }));
    const there = new Set(ids);
    for (const id of this.#known.keys()) if (!there.has(id)) this.#known.delete(id);
    const tickets: TicketDigest[] = [];
    const related: RelatedTicket[] = [];
    const unread: string[] = [];
    const problems: string[] = [];
    for (const { id, entry } of entries) {
      if (entry.is === "ticket") tickets.push(entry.digest);
      if (entry.is === "ticket") related.push(entry.digest);
      if (entry.is === "damaged") related.push(entry.related);
      if (entry.is === "unread") unread.push(id);
      if ("problem" in entry) problems.push(`Ticket ${id} cannot be read: ${entry.problem}`);
    }
    return { tickets, related, unread, problems };
  }

  async #entry(id: string): Promise<Entry> {
    const stamp = await this.#stamp(id);
    const known = this.#known.get(id);
    if (known?.stamp === stamp) return known.entry;
    const entry = await entryOf(this.#place, id);
    // Who may read it can change without a change of the files.
    if (entry.is !== "unread") this.#known.set(id, { stamp, entry });
    return entry;
  }

  /** Taken before the files are read: what changes meanwhile is read again the next time. */
  async #stamp(id: string): Promise<string> {
    const folder = folderOf(this.#place, id);
    const stamps = [itemName, threadName].map((name) => stampOf(join(folder, name), this.#place));
    return (await Promise.all(stamps)).join(", ");
  }
}

/** Of a file of a ticket: differs where it was replaced or written to. No link is followed; what is no file, or may not be looked at, has a stamp too. */
export async function stampOf(path: string, { files, kindAt }: TicketPlace): Promise<string> {
  try {
    if ((await kindAt(dirname(path))) !== "directory") return "no folder";
    const kind = await kindAt(path);
    const stat = kind === "file" ? await files.stat(path) : null;
    return stat === null ? (kind ?? "none") : `${stat.inode} ${stat.bytes} ${stat.modifiedMs}`;
  } catch (error) {
    if (error instanceof YoiError && ownCodes.includes(error.code)) return error.code;
    throw error;
  }
}

async function entryOf(place: TicketPlace, id: string): Promise<Entry> {
  const found = await orProblem(() => findTicket(place, id));
  if (found === null) return { is: "nothing" };
  if (!("problem" in found)) return { is: "ticket", digest: digestOf(found) };
  const thread = await orProblem(() => readThread(place, id));
  if (thread === null) return { is: "nothing" };
  if ("problem" in thread) return { is: "unread", problem: thread.problem };
  const { state, relations } = thread.fold;
  return { is: "damaged", problem: found.problem, related: { id, state, relations } };
}

/** What one ticket alone is to blame for; what the disk says is thrown. */
async function orProblem<T>(read: () => Promise<T>): Promise<T | { readonly problem: string }> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof YoiError) || !ownCodes.includes(error.code)) throw error;
    return { problem: error.message };
  }
}

/** A link, a file of somebody else's, or what is in it. */
const ownCodes: readonly ErrorCode[] = ["ticket_damaged", "permission_denied"];

/** Names below the root that can be those of tickets, oldest first; none where there is no root. */
export async function ticketIds(place: TicketPlace): Promise<readonly string[]> {
  if (!(await isRootThere(place))) return [];
  return (await place.files.list(place.root)).filter(isTicketId).toSorted();
}

export function digestOf({ id, title, state, item, fold, thread }: StoredTicket): TicketDigest {
  const { created_at, updated_at, fields } = item;
  const { relations, review, lastAt } = fold;
  const firstAt = thread.events[0]?.event.at ?? "";
  return {
    id,
    title,
    state,
    item: { created_at, updated_at, fields },
    relations,
    review,
    lastAt,
    firstAt: firstAt === "" ? null : firstAt,
  };
}
