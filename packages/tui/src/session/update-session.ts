/** updateSession: what one event of a Pod's stream makes of what is known of it. Pure. */
import { beginIn } from "./begin-in.ts";
import { Draft } from "./draft.ts";
import { foldEntry } from "./fold-entry.ts";
import { foldLive } from "./fold-live.ts";
import { foldRotation } from "./fold-rotation.ts";
import { foldSnapshot } from "./fold-snapshot.ts";
import { type Held, nothingHeld } from "./held.ts";
import type { PodSession, SessionEvent } from "./session.ts";

/** @param now milliseconds since the epoch. */
export function updateSession(session: PodSession, event: SessionEvent, now: number): PodSession {
  const draft = new Draft(session);
  fold(draft, event, now);
  return draft.done();
}

function fold(draft: Draft, event: SessionEvent, now: number): void {
  switch (event.type) {
    case "restarted":
      return restart(draft, event.segment);
    case "rotated":
      arrive(draft);
      return foldRotation(draft, event.rotation);
    case "entry":
      arrive(draft);
      see(draft, event.entry.seq);
      return foldEntry(draft, event.entry);
    case "omitted": {
      const { seq, kind } = event;
      arrive(draft);
      see(draft, seq);
      const text = `entry ${draft.idOf(seq)} (${kind}) is too large to be shown here: the log has it`;
      return draft.add(draft.idOf(seq), { kind: "note", level: "warn", text });
    }
    case "snapshot":
      return foldSnapshot(draft, event.view);
    case "live":
      draft.hold({ live: event.n });
      return foldLive(draft, event.live, now);
    case "disconnected":
      return draft.set({ link: "lost", why: event.why });
    case "ended":
      return draft.set({ link: "ended", why: event.why });
  }
}

/** What comes is of another log, or of the same one from its start. */
function restart(draft: Draft, segment: string): void {
  const { n, epoch, live }: Held = draft.held;
  draft.forget();
  draft.hold({ ...nothingHeld, n, epoch, live, segment });
  draft.set({
    link: "catching_up",
    why: null,
    cursor: null,
    first: null,
    approvals: [],
    approvalsOmitted: 0,
    queue: [],
    queueHeld: false,
    waiting: 0,
    run: null,
  });
  draft.add(`start ${segment}`, { kind: "note", level: "info", text: "from the start of the log:" });
}

/** Records come: there is a connection, and the present is not reached where it was not before. */
function arrive(draft: Draft): void {
  const { link } = draft.session;
  if (link !== "up" && link !== "catching_up") draft.set({ link: "catching_up", why: null });
}

function see(draft: Draft, seq: number): void {
  const { segment, firstSeq } = draft.held;
  if (segment !== null) draft.set({ cursor: { segment, seq } });
  if (firstSeq !== null) return;
  draft.hold({ firstSeq: seq });
  if (segment !== null) beginIn(draft, segment);
}
