/** What a view shows of a session, for comparing two that came to the same place on different ways. */
import assert from "node:assert/strict";
import type { PodSession, SessionEvent } from "../../../src/session/session.ts";
import { emptySession } from "../../../src/session/empty-session.ts";
import { updateSession } from "../../../src/session/update-session.ts";

export const now = 1_000;

export function folded(events: readonly SessionEvent[], from: PodSession = emptySession("sim")): PodSession {
  return events.reduce((session, event) => updateSession(session, event, now), from);
}

/** Without what is on no record and in no snapshot: who comes later is not told of it. */
export function shown(session: PodSession) {
  // What was used, and the size of the next request, are told behind each answer: a snapshot counts what came since.
  const { blocks, held: _held, retry: _retry, context: _context, spent: _spent, panels, ...status } = session;
  return {
    ...status,
    panels: panels.toSorted((a, b) => a.feature.localeCompare(b.feature)),
    blocks: blocks.filter(({ id }) => !id.startsWith("live ")).map(({ n: _n, ...block }) => block),
  };
}

export function assertDense({ blocks, held }: PodSession): void {
  const first = blocks[0]?.n ?? held.n;
  assert.deepEqual(
    blocks.map(({ n }) => n),
    Array.from({ length: blocks.length }, (_, at) => first + at),
  );
  assert.equal(held.n, first + blocks.length);
  const open = blocks.filter(({ isFinished }) => !isFinished).map(({ id, n }) => [id, n] as const);
  assert.deepEqual(new Map(held.open), new Map(open));
}
