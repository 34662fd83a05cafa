/** withoutKeys: a store of tickets into which no key comes that yoi knows, whoever writes: tickets are committed and pushed. */
import type { Actor, NewTicket, TicketStore } from "@yoi/tickets";

export interface KeyGuard {
  /** Takes known keys out. */
  readonly redact: (text: string) => string;
  /** What is said where there was one. */
  readonly say: (sentence: string) => void;
}

/** Every text that a verb is given goes through here; ids, states and relations are none. */
export function withoutKeys(store: TicketStore, { redact, say }: KeyGuard): TicketStore {
  const clean = (what: string, text: string): string => {
    const kept = redact(text);
    if (kept !== text) say(`A key that yoi knows was taken out of the ${what}.`);
    return kept;
  };
  const by = (actor: Actor): Actor => ({ ...actor, author: clean("author", actor.author) });
  const fieldsOf = (fields: NonNullable<NewTicket["fields"]>): NonNullable<NewTicket["fields"]> =>
    Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [
        clean("fields", key),
        typeof value === "string" ? clean(key, value) : value.map((one) => clean(key, one)),
      ]),
    );
  return {
    create: ({ title, body, fields }, actor) => {
      const text = { title: clean("title", title), body: clean("text", body) };
      return store.create(fields === undefined ? text : { ...text, fields: fieldsOf(fields) }, by(actor));
    },
    add: (id, entry, actor) => store.add(id, { ...entry, body: clean("text", entry.body) }, by(actor)),
    transition: (id, { to, reason, body }, actor) => {
      const said = {
        ...(reason === undefined ? {} : { reason: clean("reason", reason) }),
        ...(body === undefined ? {} : { body: clean("text", body) }),
      };
      return store.transition(id, { to, ...said }, by(actor));
    },
    close: (id, resolution, actor) => store.close(id, clean("resolution", resolution), by(actor)),
    reopen: (id, reason, actor) => store.reopen(id, clean("reason", reason), by(actor)),
    link: (id, change, actor) => store.link(id, change, by(actor)),
    importOld: (directory, actor) => store.importOld(directory, by(actor)),
    list: (filter) => store.list(filter),
    show: (id) => store.show(id),
    news: (cursor, options) => store.news(cursor, options),
    newsFromNow: () => store.newsFromNow(),
    doctor: (options) => store.doctor(options),
  };
}
