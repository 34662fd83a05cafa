/** Inputs that wait over deaths, cancels and second thoughts: the property, and that broken promises are seen. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EntryBody, LogEntry } from "@yoi/base";
import type { SegmentWriter, SessionStore } from "@yoi/session-store";
import { overriding } from "../support/overriding.ts";
import { proofTest } from "../support/proof.ts";
import { queueCase } from "./queue-crash.ts";
import { everyMoment, severalMoments } from "./queue-crash.proof.ts";

proofTest(everyMoment);
proofTest(severalMoments);

/** What is written otherwise than it was handed over, with its seq as it will be. */
const writing = (change: (body: EntryBody) => EntryBody) => (sessions: SessionStore) => {
  const changed = (writer: SegmentWriter) =>
    overriding(writer, { append: (bodies) => writer.append(bodies.map(change)) });
  return overriding(sessions, {
    create: async (start, opening) => {
      const opened = await sessions.create(start, opening);
      return { ...opened, writer: changed(opened.writer) };
    },
    open: async (ref, opening) => {
      const opened = await sessions.open(ref, opening);
      return { ...opened, writer: changed(opened.writer) };
    },
  });
};

/** What a restore reads otherwise than it is there. */
const reading = (change: (entry: LogEntry) => LogEntry) => (sessions: SessionStore) =>
  overriding(sessions, {
    open: async (ref, opening) => {
      const opened = await sessions.open(ref, opening);
      return { ...opened, entries: opened.entries.map(change) };
    },
  });

const opaque = ({ seq, batch, ts, kind }: LogEntry): LogEntry => {
  return { seq, batch, ts, kind, opaque: true, fields: {} };
};

const controls = [
  {
    name: "a delivery does not say what it delivers",
    found: /in history \d times, waits 1 times/,
    wrapSessions: writing((body) =>
      body.kind === "user_input" ? { kind: body.kind, parts: body.parts } : body,
    ),
  },
  {
    name: "a restart knows nothing of what waits",
    found: /something waits at the end/,
    wrapSessions: reading((entry) => (entry.kind === "input_queued" ? opaque(entry) : entry)),
  },
  {
    name: "a restart knows nothing of what was taken back",
    found: /in history 1 times, waits 0 times and was taken back 1 times/,
    wrapSessions: reading((entry) => (entry.kind === "input_unqueued" ? opaque(entry) : entry)),
  },
] as const;

for (const { name, wrapSessions, found } of controls)
  test(`control: it is seen where ${name}`, async () => {
    const deaths = [60, 75, 90].map((nth) => ({ at: "disk", nth, what: "kill" }) as const);
    const seen = await Promise.allSettled(
      deaths.map((death) => queueCase({ disturbances: [death], wrapSessions })),
    );
    const said = seen.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
    assert.match(said.join("\n"), found);
  });
