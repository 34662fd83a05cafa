/** Planted bugs: what an implementation could do wrong, each as a thin layer over the real one. A proof that does not find them proves nothing. */
import { type EntryBody, type EntryKind, isKnown, type LogEntry, type SystemItem } from "@yoi/base";
import type { AppendFile, DiskOperation, Files, MemoryHost } from "@yoi/host";
import type { Model } from "@yoi/model";
import { createSessionStore, type SegmentWriter, type SessionStore } from "@yoi/session-store";
import { dataDir } from "../support/simulated-pod.ts";
import type { Plant } from "./crash-restore.ts";
import { overriding } from "../support/overriding.ts";

export interface PlantedBug {
  readonly name: string;
  /** A fresh one for each case. */
  readonly plant: () => Plant;
  /** It must be found before this many seeds have passed. */
  readonly withinSeeds: number;
  /** What the finding says. */
  readonly found: RegExp;
}

const lie =
  (kind: DiskOperation["kind"], path: RegExp): (() => Plant) =>
  () => ({ lies: (operation) => operation.kind === kind && path.test(operation.path) });

const model =
  (stream: (inner: Model) => Model["stream"]): (() => Plant) =>
  () => ({ owner: { wrapModel: (inner) => overriding(inner, { stream: stream(inner) }) } });

/** A store whose log files sync in another way than they should. */
export function withSync(host: MemoryHost, sync: (real: () => Promise<void>) => Promise<void>): SessionStore {
  const otherwise = (file: AppendFile) => overriding(file, { sync: () => sync(() => file.sync()) });
  const files: Files = overriding(host.files, {
    createAppend: async (path) => otherwise(await host.files.createAppend(path)),
    openAppend: async (path) => otherwise(await host.files.openAppend(path)),
  });
  return createSessionStore({ files, clock: host.clock, dataDir });
}

/** Says yes at once, and syncs when it gets to it. */
function acknowledgingEarly(host: MemoryHost): SessionStore {
  return withSync(host, async (sync) => {
    // A late sync has nobody to fail to.
    host.timers.after(20, () => void sync().catch(() => {}));
  });
}

/** The next owner writes the last batch again, without looking whether it arrived. */
function retryingBlindly(): Plant {
  let last: readonly EntryBody[] = [];
  const remembering = (writer: SegmentWriter) =>
    overriding(writer, {
      append: (bodies) => {
        last = bodies;
        return writer.append(bodies);
      },
    });
  const wrapSessions = (sessions: SessionStore) =>
    overriding(sessions, {
      open: async (ref, opening) => {
        const opened = await sessions.open(ref, opening);
        const again = last.length === 0 ? [] : await opened.writer.append(last);
        return { ...opened, entries: [...opened.entries, ...again], writer: remembering(opened.writer) };
      },
      create: async (start, opening) => {
        const opened = await sessions.create(start, opening);
        return { ...opened, writer: remembering(opened.writer) };
      },
    });
  return { owner: { wrapSessions } };
}

/** A restore that does not know what entries of one kind mean. */
const forgetting =
  (kind: EntryKind): (() => Plant) =>
  () => ({ owner: { wrapSessions: (sessions) => withoutKind(sessions, kind) } });

function withoutKind(sessions: SessionStore, kind: EntryKind): SessionStore {
  const forget = (entry: LogEntry): LogEntry =>
    entry.kind === kind
      ? { seq: entry.seq, batch: entry.batch, ts: entry.ts, kind, opaque: true, fields: {} }
      : entry;
  return overriding(sessions, {
    open: async (ref, opening) => {
      const opened = await sessions.open(ref, opening);
      return { ...opened, entries: opened.entries.map(forget) };
    },
  });
}

/** A writer whose deliveries do not say what they deliver. */
function withoutDelivers(sessions: SessionStore): SessionStore {
  const stripped = (writer: SegmentWriter) =>
    overriding(writer, {
      append: (bodies) =>
        writer.append(
          bodies.map((body) => (body.kind === "system_item" ? { kind: body.kind, item: body.item } : body)),
        ),
    });
  return overriding(sessions, {
    create: async (start, opening) => {
      const opened = await sessions.create(start, opening);
      return { ...opened, writer: stripped(opened.writer) };
    },
    open: async (ref, opening) => {
      const opened = await sessions.open(ref, opening);
      return { ...opened, writer: stripped(opened.writer) };
    },
  });
}

/** The request leaves first; its record follows, and is waited for only before the answer is taken. */
const sendingFirst = model(
  (inner) =>
    async function* (request, options) {
      let recorded = Promise.resolve();
      const beforeSend: typeof options.beforeSend = async (wire) => {
        recorded = options.beforeSend(wire);
        recorded.catch(() => {});
      };
      for await (const event of inner.stream(request, { ...options, beforeSend })) {
        await recorded;
        yield event;
      }
    },
);

/** An item that is made up for one request and never appended. */
const madeUp: SystemItem = { type: "system_item", kind: "notification", source: "host", body: "By the way." };

/** Hands back other usage than it wrote. */
function retelling(sessions: SessionStore): SessionStore {
  return overriding(sessions, {
    create: async (start, opening) => {
      const opened = await sessions.create(start, opening);
      return { ...opened, writer: retellingWriter(opened.writer) };
    },
    open: async (ref, opening) => {
      const opened = await sessions.open(ref, opening);
      return { ...opened, writer: retellingWriter(opened.writer) };
    },
  });
}

function retellingWriter(writer: SegmentWriter): SegmentWriter {
  return overriding(writer, {
    append: async (bodies) =>
      (await writer.append(bodies)).map((entry) =>
        isKnown(entry) && entry.kind === "llm_usage"
          ? { ...entry, usage: { ...entry.usage, input_tokens: entry.usage.input_tokens + 1 } }
          : entry,
      ),
  });
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: "the log's fsync is dropped",
    plant: lie("sync", /\.jsonl$/),
    withinSeeds: 10,
    found: /entries were acknowledged|segment is not sound/,
  },
  {
    name: "the session directory's sync is dropped",
    plant: lie("sync_directory", /\/sessions\/[^/]+$/),
    withinSeeds: 30,
    found: /There is no session log/,
  },
  {
    name: "the metadata's fsync is dropped",
    plant: lie("sync", /\/pods\//),
    withinSeeds: 20,
    found: /metadata of the Pod sim is damaged/,
  },
  {
    name: "the sync of the metadata's directory is dropped",
    plant: lie("sync_directory", /\/pods\/[^/]+$/),
    withinSeeds: 60,
    found: /the Pod is gone/,
  },
  {
    name: "a batch is acknowledged before its sync",
    plant: () => ({ owner: { wrapStore: (_sessions, host) => acknowledgingEarly(host) } }),
    withinSeeds: 60,
    found: /entries were acknowledged/,
  },
  {
    name: "the last batch is appended again on restore",
    plant: retryingBlindly,
    withinSeeds: 60,
    found: /is in the log twice|is there twice|has a second result|had its effect 2 times/,
  },
  {
    name: "a started call is run again on restore",
    plant: forgetting("tool_started"),
    withinSeeds: 60,
    found: /had its effect 2 times/,
  },
  {
    name: "a result is lost on restore",
    plant: forgetting("tool_result"),
    withinSeeds: 60,
    found: /result of .* is in the log twice|has no result|was cut in its arguments, and it ran/,
  },
  {
    name: "partial text is lost on restore",
    plant: forgetting("assistant_partial"),
    withinSeeds: 60,
    found: /what was recorded of block .* is not kept/,
  },
  {
    name: "what waits in the inbox is lost on restore",
    plant: forgetting("inbox_accepted"),
    withinSeeds: 60,
    found: /was accepted, and it is gone|is never told|was accepted twice/,
  },
  {
    name: "a delivery does not say what it delivers",
    plant: () => ({ owner: { wrapSessions: withoutDelivers } }),
    withinSeeds: 20,
    found: /is told twice|nothing says where it is from/,
  },
  {
    name: "a request is sent before its record is durable",
    plant: sendingFirst,
    withinSeeds: 60,
    found: /was sent and is not on record/,
  },
  {
    name: "the model is shown an item that is not appended",
    plant: model((inner) => (request, options) => {
      const seq = (request.items.at(-1)?.seq ?? 0) + 1;
      return inner.stream({ ...request, items: [...request.items, { seq, item: madeUp }] }, options);
    }),
    withinSeeds: 10,
    found: /the model was shown an item/,
  },
  {
    name: "the Pod takes in something else than what it wrote",
    plant: () => ({ owner: { wrapSessions: retelling } }),
    withinSeeds: 10,
    found: /what the Pod knew is not the replay of its file/,
  },
];

/** The planted fault of that name. */
export function plantedBug(name: string): Plant {
  const bug = plantedBugs.find((one) => one.name === name);
  if (bug === undefined) throw new Error(`no planted bug is named "${name}"`);
  return bug.plant();
}
