/** The store of tickets as a feature: its service, on behalf of one Pod, whose name and role nobody who calls it can choose. */
import { deepFreeze, type JsonObject, type JsonValue, YoiError } from "@yoi/base";
import {
  type FeatureDescriptor,
  featureId,
  type FeatureModule,
  type ServiceImplementation,
} from "@yoi/feature";
import { type Actor, type Entry, markOf, type TicketEvent, type TicketStore } from "@yoi/tickets";
import { boundedCursor, cursorJson } from "./news-cursor.ts";
import { eventJson, listJson, newsAnswer, summaryJson, ticketJson } from "./service-json.ts";
import {
  addSchema,
  closeSchema,
  createSchema,
  listSchema,
  lookSchema,
  moveSchema,
  newsSchema,
  TicketArguments,
} from "./ticket-arguments.ts";
import {
  newsEventsMax,
  ticketServiceDeclaration,
  ticketServiceId,
  type TicketMethod,
} from "./ticket-service.ts";

interface TicketStoreFeatureOptions {
  readonly store: TicketStore;
  /** The Pod: who does whatever is asked of the service. */
  readonly actor: Actor;
}

export function ticketStoreFeature({ store, actor }: TicketStoreFeatureOptions): FeatureModule {
  const service = ticketService(store, actor);
  return {
    descriptor: ticketStoreDescriptor,
    install: ({ services }) =>
      services.provide(ticketServiceId, ticketServiceDeclaration.version, answering(service)),
  };
}

const ticketStoreDescriptor: FeatureDescriptor = deepFreeze({
  id: featureId("builtin:ticket-store"),
  runtime: "builtin",
  display_name: "Ticket store",
  version: "1.0.0",
  description:
    "The tickets of the workspace, as a service: what it writes, it writes in the Pod's name and role.",
  authorities: [],
  tools: [],
  hooks: [],
  background_tasks: [],
  provides_services: [ticketServiceDeclaration],
  requires_services: [],
  state: null,
});

type Method = (input: JsonObject) => Promise<JsonObject>;

function ticketService(store: TicketStore, actor: Actor): Readonly<Record<TicketMethod, Method>> {
  return {
    create: async (input) => {
      const args = argumentsOf("create", createSchema, input);
      const ticket = await store.create(
        { title: args.title(), body: args.body(), fields: args.fields() },
        actor,
      );
      const { events } = ticket;
      return { ...summaryJson(ticket), last: events.at(-1)?.id ?? null, known: markOf(events) };
    },
    add: async (input) => {
      const args = argumentsOf("add", addSchema, input);
      return done(await store.add(args.ticket(), entryOf(args), actor));
    },
    transition: async (input) => {
      const args = argumentsOf("transition", moveSchema, input);
      const [to, reason] = [args.to(), args.reason()];
      if (to === "closed")
        throw new YoiError("usage", `A ticket is closed by close, with its resolution: ask for that.`);
      return done(
        await store.transition(args.ticket(), { to, ...(reason === null ? {} : { reason }) }, actor),
      );
    },
    close: async (input) => {
      const args = argumentsOf("close", closeSchema, input);
      return done(await store.close(args.ticket(), args.body("resolution"), actor));
    },
    list: async (input) => {
      const args = argumentsOf("list", listSchema, input);
      const [states, limit] = [args.states(), args.limit()];
      return listJson(await store.list(states === null ? {} : { states }), limit);
    },
    show: async (input) => {
      const args = argumentsOf("show", lookSchema, input);
      const [id, after] = [args.ticket(), args.eventsAfter()];
      const shown = ticketJson(await store.show(id), after);
      if (shown !== null) return shown;
      throw new YoiError(
        "usage",
        `The ticket ${id} has no event ${after}: TicketShow without it shows the last ones.`,
      );
    },
    news: async (input) => {
      const args = argumentsOf("news", newsSchema, input);
      const [cursor, all] = [args.cursor(), args.all()];
      if (cursor !== null) return newsAnswer(await store.news(cursor, { all, max: newsEventsMax }));
      const { known, waiting } = await store.newsFromNow();
      return { cursor: cursorJson(boundedCursor({ known, sinceMs: null }, new Set(waiting))) };
    },
  };
}

function entryOf(args: TicketArguments): Entry {
  const kind = args.entryKind();
  if (kind === "review") return { kind, status: args.status(), body: args.body() };
  args.refuseStatus();
  return { kind, body: args.body() };
}

function argumentsOf(method: TicketMethod, schema: JsonObject, input: JsonObject): TicketArguments {
  return new TicketArguments(`${ticketServiceId} ${method}`, schema, input);
}

/** Whoever wrote it has its body. */
function done(event: TicketEvent): JsonObject {
  const { body: _body, ...said } = eventJson(event, 0);
  return { event: said };
}

/** What the store refuses is an answer too, so that its code and its whole sentence reach whoever asked. */
function answering(methods: Readonly<Record<TicketMethod, Method>>): ServiceImplementation {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      async (input: JsonObject): Promise<JsonValue> => {
        try {
          return { ok: await method(input) };
        } catch (error) {
          if (!(error instanceof YoiError)) throw error;
          return { refused: { code: error.code, message: error.message } };
        }
      },
    ]),
  );
}
