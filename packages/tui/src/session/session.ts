/** PodSession: all that a view knows of one Pod: a fold over its stream and nothing else, so that it is the same for who was there and for who attaches now. */
import type { LogEntry, Panel } from "@yoi/base";
import type {
  ChildNow,
  CompactionWork,
  ContextNow,
  Cursor,
  Live,
  PendingApproval,
  PodAbout,
  PodState,
  PodView,
  QueuedInput,
  Rotation,
  SpentNow,
} from "@yoi/protocol";
import type { Block } from "./block.ts";
import type { Held } from "./held.ts";

/** What a `StreamListener` is told, as values, and what becomes of the connection. */
export type SessionEvent =
  | { readonly type: "restarted"; readonly segment: string }
  | { readonly type: "rotated"; readonly rotation: Rotation }
  | { readonly type: "entry"; readonly entry: LogEntry }
  | { readonly type: "omitted"; readonly seq: number; readonly kind: string }
  | { readonly type: "snapshot"; readonly view: PodView }
  | { readonly type: "live"; readonly live: Live; readonly n: number }
  | { readonly type: "disconnected"; readonly why: string }
  /** No other connection is tried; null: it was closed here, or the Pod was shut down. */
  | { readonly type: "ended"; readonly why: string | null };

/** A request that failed is tried again, or an answer that broke off goes on. */
export interface RetryNow {
  readonly message: string;
  readonly attempt: number;
  readonly attemptsMax: number;
  /** When, in milliseconds since the epoch; null: at once. */
  readonly at: number | null;
}

export interface PodSession {
  readonly name: string;
  readonly title: string | null;
  /** catching_up: the past arrives. lost: another connection is tried. ended: none is. */
  readonly link: "connecting" | "catching_up" | "up" | "lost" | "ended";
  /** Why it was lost or ended; null: there is nothing to say. */
  readonly why: string | null;
  /** Null: no snapshot came yet. */
  readonly about: PodAbout | null;
  readonly state: PodState;
  /** Of the run that goes on. */
  readonly run: string | null;
  readonly paused: NonNullable<PodView["paused"]> | null;
  readonly retry: RetryNow | null;
  readonly compaction: CompactionWork | null;
  /** The last ones, oldest first, dense by `n`. */
  readonly blocks: readonly Block[];
  readonly approvals: readonly PendingApproval[];
  /** How many more wait that are too large to be sent. */
  readonly approvalsOmitted: number;
  readonly queue: readonly QueuedInput[];
  /** What is queued waits for the user. */
  readonly queueHeld: boolean;
  /** Notifications that the model was not told of yet. */
  readonly waiting: number;
  readonly panels: readonly Panel[];
  readonly context: ContextNow | null;
  readonly spent: SpentNow | null;
  readonly children: readonly ChildNow[];
  /** The last entry that was seen; null: none. */
  readonly cursor: Cursor | null;
  /** The first one that was told, or is to be: what is older stands before it. Null: not known yet. */
  readonly first: Cursor | null;
  /** What the fold itself needs to go on: nothing for a view. */
  readonly held: Held;
}
