/** Catalog: every ticket of a root in short, read again only where its files changed. */
import { join } from "node:path/posix";
import { messageOf, YoiError } from "@yoi/base";
import type { Folded } from "./fold.ts";
import { inParallel } from "./in-parallel.ts";
import type { ParsedItem } from "./item.ts";
import { folderOf, isRootThere, itemName, threadName, type TicketPlace } from "./place.ts";
import { findTicket, type StoredTicket } from "./stored-ticket.ts";
import { isTicketId } from "./ticket-id.ts";
import type { TicketState } from "./ticket.ts";

/** Without what is long. */
export interface TicketDigest {
  readonly id: string;
  readonly title: string;
  readonly state: TicketState;
  readonly item: Pick<ParsedItem, "created_at" | "updated_at" | "fields">;
  readonly fold: Pick<Folded, "relations" | "review" | "lastAt">;
  /** When the first event was, as written; null: there is none that says it. */
  readonly firstAt: string | null;
}

export interface Catalogued {
  /** Oldest first. */
  readonly tickets: readonly TicketDigest[];
  /** Folders that cannot be read as tickets, a sentence each. */
  readonly problems: readonly string[];
}

/** Files that are read at once: more waits for the disk no less. */
const readsAtOnceMax = 32;

export class Catalog {
  readonly #place: TicketPlace;
  /** What was read of a ticket, and what its files were then. */
  readonly #known = new Map<string, { readonly stamp: string; readonly digest: TicketDigest | null }>();

  constructor(place: TicketPlace) {
    this.#place = place;
  }

  /** Throws what the disk throws, and permission_denied where the root is a link; a single ticket that cannot be read is a problem in it. */
  async all(): Promise<Catalogued> {
    const ids = await ticketIds(this.#place);
    const problems: string[] = [];
    const found = await inParallel(ids, readsAtOnceMax, async (id) => {
      try {
        return await this.#digest(id);
      } catch (error) {
        if (!(error instanceof YoiError)) throw error;
        problems.push(`Ticket ${id} cannot be read: ${messageOf(error)}`);
        return null;
      }
    });
    const there = new Set(ids);
    for (const id of this.#known.keys()) if (!there.has(id)) this.#known.delete(id);
    return { tickets: found.filter((digest) => digest !== null), problems: problems.sort() };
  }

  async #digest(id: string): Promise<TicketDigest | null> {
    const stamp = await this.#stamp(id);
    const known = this.#known.get(id);
    if (known?.stamp === stamp) return known.digest;
    const found = await findTicket(this.#place, id);
    const digest = found === null ? null : digestOf(found);
    this.#known.set(id, { stamp, digest });
    return digest;
  }

  /** Taken before the files are read: what changes meanwhile is read again the next time. */
  async #stamp(id: string): Promise<string> {
    const folder = folderOf(this.#place, id);
    const stamps = [itemName, threadName].map((name) => stampOf(join(folder, name), this.#place));
    return (await Promise.all(stamps)).join(", ");
  }
}

/** Differs where the file was replaced or written to: every change makes a thread longer. */
export async function stampOf(path: string, { files }: Pick<TicketPlace, "files">): Promise<string> {
  const stat = await files.stat(path);
  return stat === null ? "none" : `${stat.inode} ${stat.bytes} ${stat.modifiedMs}`;
}

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
    fold: { relations, review, lastAt },
    firstAt: firstAt === "" ? null : firstAt,
  };
}
