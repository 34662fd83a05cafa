/** The empty session: what is known of a Pod before anything was heard of it. */
import { nothingHeld } from "./held.ts";
import type { PodSession } from "./session.ts";

export function emptySession(name: string): PodSession {
  return {
    name,
    title: null,
    link: "connecting",
    why: null,
    about: null,
    state: "idle",
    run: null,
    paused: null,
    retry: null,
    compaction: null,
    blocks: [],
    approvals: [],
    approvalsOmitted: 0,
    queue: [],
    queueHeld: false,
    waiting: 0,
    panels: [],
    context: null,
    spent: null,
    children: [],
    cursor: null,
    first: null,
    held: nothingHeld,
  };
}
