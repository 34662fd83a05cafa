/** createTicketStore: the tickets of one root, over files. */
import { YoiError } from "@yoi/base";
import { appendEvent, type EventDraft, heal } from "./append-event.ts";
import { Catalog, digestOf } from "./catalog.ts";
import { checkedActor, checkedBody, checkedReason, tooLong } from "./check-input.ts";
import { checkedTicket, createTicket } from "./create-ticket.ts";
import type { DoctorReport } from "./doctor/report.ts";
import { runDoctor } from "./doctor/run-doctor.ts";
import { importOld } from "./import/import-old.ts";
import type { ImportReport } from "./import/report.ts";
import { NewsDesk } from "./news.ts";
import { isTicketThere, type TicketDesk, underLock } from "./place.ts";
import { addGitFiles, makeRoot } from "./root-files.ts";
import { openBy, relatedFrom, waitingWay } from "./relations.ts";
import { checkEntry, checkEntryRole, checkGates, checkTransition, refused } from "./rules.ts";
import { artifactsOf, summaryOf, ticketOf } from "./shown-ticket.ts";
import type { Entry, ListFilter, NewTicket, TicketList, TicketStore, Transition } from "./store.ts";
import { settlesAttribute } from "./standing.ts";
import { readTicket, type StoredTicket, unknown } from "./stored-ticket.ts";
import {
  type Actor,
  type RelationKind,
  relationsMax,
  type Ticket,
  type TicketEvent,
  type TicketRole,
  type TicketState,
} from "./ticket.ts";

/** @param desk its root is made with the first ticket. */
export function createTicketStore(desk: TicketDesk): TicketStore {
  return new FileTicketStore(desk);
}

interface Link {
  readonly relation: RelationKind;
  readonly target: string;
  readonly remove?: boolean;
}

/** Of an event; who says it is added. */
type Said = Omit<EventDraft, "author" | "role">;

class FileTicketStore implements TicketStore {
  readonly #desk: TicketDesk;
  readonly #catalog: Catalog;
  readonly #news: NewsDesk;

  constructor(desk: TicketDesk) {
    this.#desk = desk;
    this.#catalog = new Catalog(desk);
    this.#news = new NewsDesk(desk);
  }

  async create(ticket: NewTicket, actor: Actor): Promise<Ticket> {
    const checked = checkedTicket(ticket);
    const by = checkedActor(actor);
    await makeRoot(this.#desk);
    const id = await this.#locked((desk) => createTicket(desk, checked, by));
    const stored = await readTicket(this.#desk, id);
    // It is just made: nothing is related to it, and nothing stands beside it.
    return ticketOf(stored, summaryOf(digestOf(stored), []), { relatedFrom: [], artifacts: [] });
  }

  async add(id: string, entry: Entry, actor: Actor): Promise<TicketEvent> {
    const isReview = entry.kind === "review";
    const body = checkedBody(wordsOf(entry.kind), entry.body, isReview ? "optional" : "needed");
    const status = isReview ? { status: entry.status } : {};
    return this.#change(id, actor, (stored, by) => {
      checkEntry(stored, entry, by);
      return { kind: entry.kind, ...status, body };
    });
  }

  async transition(id: string, { to, reason, body = "" }: Transition, actor: Actor): Promise<TicketEvent> {
    const said = reasonOf(reason);
    const text = checkedBody("comment on the change of state", body, "optional");
    if (isGated(to, actor.role)) await this.#warm();
    return this.#change(id, actor, async (stored, by) => {
      checkTransition(stored, { to, reason: said }, by);
      await this.#checkGates(stored, to, by);
      const from = stored.state;
      const kind = from === "closed" ? "reopen" : "state_changed";
      const why = said === undefined ? {} : { reason: said };
      return { kind, from, to, ...why, ...settling(stored), body: text };
    });
  }

  async close(id: string, resolution: string, actor: Actor): Promise<TicketEvent> {
    const body = checkedBody("resolution", resolution, "needed");
    return this.#change(id, actor, (stored, by) => {
      checkTransition(stored, { to: "closed", reason: undefined }, by);
      return { kind: "close", from: stored.state, to: "closed", ...settling(stored), body };
    });
  }

  reopen(id: string, reason: string, actor: Actor): Promise<TicketEvent> {
    return this.#change(id, actor, (stored, by) => {
      if (stored.state !== "closed")
        throw refused(`Ticket ${id} is ${stored.state}, and only a closed one is opened again.`);
      const said = checkedReason(reason);
      checkTransition(stored, { to: "planning", reason: said }, by);
      return { kind: "reopen", from: "closed", to: "planning", reason: said, body: "" };
    });
  }

  async link(id: string, { relation, target, remove = false }: Link, actor: Actor): Promise<TicketEvent> {
    if (id === target)
      throw new YoiError("usage", `Ticket ${id} is not related to itself: name another one.`);
    if (!remove) await this.#warm();
    return this.#change(id, actor, async (stored, by) => {
      checkEntryRole(id, "link", by);
      const stands = stored.fold.relations.some((one) => one.relation === relation && one.target === target);
      if (stands !== remove)
        throw refused(
          `Ticket ${id} ${stands ? "has" : "does not have"} the relation ${relation} ${target}${stands ? " already" : ""}.`,
        );
      if (!remove) await this.#checkLink(stored, relation, target);
      return { kind: remove ? "unlink" : "link", relation, target, body: "" };
    });
  }

  async list(filter: ListFilter = {}): Promise<TicketList> {
    const { tickets, related, problems } = await this.#catalog.all();
    const blocked = openBy("blocks", related);
    const isListed = (state: TicketState): boolean =>
      filter.states === undefined ? state !== "closed" : filter.states.includes(state);
    return {
      tickets: tickets
        .filter(({ state }) => isListed(state))
        .map((digest) => summaryOf(digest, blocked.get(digest.id) ?? [])),
      problems,
    };
  }

  async show(id: string): Promise<Ticket> {
    const stored = await readTicket(this.#desk, id);
    const { related } = await this.#catalog.all();
    const artifacts = await artifactsOf(this.#desk, id);
    const summary = summaryOf(digestOf(stored), openBy("blocks", related).get(id) ?? []);
    return ticketOf(stored, summary, { relatedFrom: relatedFrom(related).get(id) ?? [], artifacts });
  }

  /** What `draft` says comes into the thread; where it throws, nothing was written. */
  async #change(
    id: string,
    actor: Actor,
    draft: (stored: StoredTicket, by: Actor) => Promise<Said> | Said,
  ): Promise<TicketEvent> {
    const by = checkedActor(actor);
    if (!(await isTicketThere(this.#desk, id))) throw unknown(this.#desk, id);
    return this.#locked(async (desk) => {
      const stored = await readTicket(this.#desk, id);
      const said = await draft(stored, by);
      const itemText = await heal(desk, stored);
      const { author, role } = by;
      return appendEvent(desk, { ...stored, itemText }, { ...said, author, role });
    });
  }

  /** Reads before the lock what is asked under it: many who begin at once do not wait for each other's reading. */
  async #warm(): Promise<void> {
    await this.#catalog.all();
  }

  #locked<T>(work: (desk: TicketDesk) => Promise<T>): Promise<T> {
    return underLock(this.#desk, async (desk) => {
      await addGitFiles(desk);
      return work(desk);
    });
  }

  async #checkGates(stored: StoredTicket, to: Transition["to"], actor: Actor): Promise<void> {
    if (!isGated(to, actor.role)) return;
    const { related, unread } = await this.#catalog.all();
    const blockedBy = openBy("blocks", related).get(stored.id) ?? [];
    const openParts = openBy("part_of", related).get(stored.id) ?? [];
    checkGates(stored, to, { actor, blockedBy, openParts, unread });
  }

  async #checkLink({ id, fold }: StoredTicket, relation: RelationKind, target: string): Promise<void> {
    // One that is there and cannot be read says why.
    await readTicket(this.#desk, target);
    const { related } = await this.#catalog.all();
    if (fold.relations.length >= relationsMax)
      throw tooLong(
        "record of what the ticket is related to",
        `${relationsMax + 1} relations`,
        relationsMax,
        "unlink one of them",
      );
    const way = relation === "follows" ? null : waitingWay({ id, target }, related);
    if (way !== null)
      throw refused(
        `Ticket ${id} cannot have the relation ${relation} ${target}: they would wait for each other (${[...way, target].join(" before ")}).`,
      );
  }

  news(...asked: Parameters<TicketStore["news"]>): ReturnType<TicketStore["news"]> {
    return this.#news.news(...asked);
  }

  newsFromNow(): ReturnType<TicketStore["newsFromNow"]> {
    return this.#news.begin();
  }

  doctor(options: { readonly fix: boolean }): Promise<DoctorReport> {
    return runDoctor(this.#desk, options);
  }

  async importOld(directory: string, actor: Actor): Promise<ImportReport> {
    const by = checkedActor(actor);
    if (by.role !== "user") throw refused("Tickets of an old layout are brought in by a person alone.");
    await makeRoot(this.#desk);
    return this.#locked((desk) => importOld(desk, directory, by));
  }
}

/** The states that a ticket comes to only once others have. */
function isGated(to: TicketState, role: TicketRole): boolean {
  return to === "queued" || to === "done" || (to === "inprogress" && role !== "user");
}

/** So that it is on record between what a person decided. */
function settling({ fold: { standing } }: StoredTicket): Pick<Said, "other"> {
  return standing.length < 2 ? {} : { other: { [settlesAttribute]: standing.join(" ") } };
}

function wordsOf(kind: Entry["kind"]): string {
  return kind.replaceAll("_", " ");
}

function reasonOf(reason: string | undefined): string | undefined {
  return reason === undefined ? undefined : checkedReason(reason);
}
