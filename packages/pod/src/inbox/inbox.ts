/** Inbox: what somebody wants the model to know, durable before its sender hears that it was accepted, and delivered once. */
import {
  type ChildCursor,
  type Entry,
  type EntryBody,
  entryId,
  canonicalJson,
  type InboxAccepted,
  type JsonValue,
  type SystemItem,
  type SystemItemEntry,
  utf8Length,
  YoiError,
} from "@yoi/base";
import { positionDomain, type SessionState, type WaitingItem } from "@yoi/session-store";
import type { HistoryGate } from "../history/gate.ts";
import type { Accepted, Submissions } from "./submissions.ts";

/** Notices that wait at a time; a sender beyond them is refused. */
export const inboxMax = 128;
/** Bytes of a notice's message. */
export const noticeBytesMax = 16 * 1024;
/** Characters of its source: as many as the id of a feature has at most. */
export const noticeSourceCharsMax = 128;
/** Characters of its reason. */
export const noticeReasonCharsMax = 512;
/** Bytes of messages that are told before one request, or a single notice: the rest is told before the next one. */
export const drainedBytesMax = 64 * 1024;

export interface Notice {
  /** Default: notification. pod_event: what became of a child. */
  readonly kind?: "notification" | "pod_event";
  /** Who sends it: `host`, or a feature's id; of a pod_event the child's name. */
  readonly source: string;
  /** What the model reads. */
  readonly message: string;
  /** Why it is sent, for a person. */
  readonly reason?: string;
}

/** A notice, and the name under which it comes in once. */
export interface Sending extends Notice {
  readonly submission?: string;
  /** It begins no run: it is told with the next request, whatever that is asked for. */
  readonly quiet?: boolean;
}
export interface Named extends Notice {
  readonly submission: string;
}
/** One of a feature, and how far it has told with it. */
interface Positioned extends Named {
  readonly position: JsonValue;
}

/**
 * The fold over the log is the only queue: what is accepted and not delivered waits in `state.inbox`, also after a crash. A delivery is one
 * `system_item` that names what it delivers in its own line, so it is in history and out of the queue in the same instant, however its batch
 * was torn. Were the two facts two entries, a crash between them would lose the notice or deliver it again.
 */
export class Inbox {
  readonly #gate: HistoryGate;
  readonly #submissions: Submissions;
  /** Being accepted: not durable yet, and their places are taken. */
  #arriving = 0;
  #isClosed = false;

  constructor(gate: HistoryGate, submissions: Submissions) {
    this.#gate = gate;
    this.#submissions = submissions;
    gate.onCommit((entries) => {
      for (const { kind } of entries) if (kind === "inbox_accepted") this.#arriving -= 1;
    });
  }

  /** How many places are taken. */
  get waiting(): number {
    return this.#gate.state.inbox.length + this.#arriving;
  }

  /** How many more can come in. */
  get room(): number {
    return Math.max(0, inboxMax - this.waiting);
  }

  /**
   * Resolves once the notice is durable, with the id of what has it on record. Several at once keep the order of their calls. Throws inbox_full,
   * limit_exceeded, usage (nothing to say), cancelled (the Pod is closing), submission_conflict, or what the log throws: then nothing of it is there.
   */
  async accept(sending: Sending): Promise<Accepted> {
    this.#refuseWhenClosed(sending.source);
    const item = itemOf(sending);
    const { submission } = sending;
    const accept = () => this.#append(bodyOf(item, sending), item.source);
    if (submission === undefined) return { duplicate: false, id: await accept() };
    const { duplicate, id } = await this.#submissions.once(submission, item, accept);
    if (id === null) throw new Error("a notification was stopped on its way to the log");
    return { duplicate, id };
  }

  /**
   * Accepts a notice with how far its source has told from then on: one line, so both are there or none. Where its name is on record, or comes to be, only the position is kept.
   * Throws as `accept`: then nothing of it is there.
   */
  async acceptAt(sending: Positioned): Promise<Accepted> {
    this.#refuseWhenClosed(sending.source);
    const item = itemOf(sending);
    const { submission, position, source } = sending;
    const before = this.#gate.state.submissions.get(submission);
    if (before !== undefined) {
      await this.keepPosition(source, position);
      return { duplicate: true, id: before.id };
    }
    const accept = () => this.#append({ ...bodyOf(item, sending), position }, source);
    const { duplicate, id } = await this.#submissions.once(submission, item, accept);
    if (id === null) throw new Error("a notification was stopped on its way to the log");
    if (duplicate) await this.keepPosition(source, position);
    return { duplicate, id };
  }

  /** How far the source has told; null: nothing is on record. */
  position(source: string): JsonValue | null {
    return this.#gate.state.extensions.get(positionDomain(source)) ?? null;
  }

  /** Resolves once it is on record how far the source has told. Throws cancelled (the Pod is closing), or what the log throws. */
  async keepPosition(source: string, position: JsonValue): Promise<void> {
    this.#refuseWhenClosed(source);
    const domain = positionDomain(source);
    const before = this.#gate.state.extensions.get(domain);
    if (before !== undefined && canonicalJson(before) === canonicalJson(position)) return;
    await this.#gate.append([{ kind: "extension", domain, payload: position }]);
  }

  /**
   * Accepts what became of a child, with how far its log is known from then on: one batch, the cursor last. Where a crash tears it, a notice may be
   * there without the cursor; what came in under its name before does not come in again. Throws as `accept`: then nothing of it is there.
   */
  async acceptUpTo(cursor: ChildCursor, sendings: readonly Named[]): Promise<void> {
    this.#refuseWhenClosed(cursor.child);
    const fresh = sendings.filter(({ submission }) => !this.#submissions.knows(submission));
    const bodies = fresh.map((sending) => bodyOf(itemOf(sending), sending));
    await this.#appendAll(bodies, cursor.child, [cursor]);
  }

  /** What came of commands of the user that were let in before: whatever waits by now, and also while the Pod closes. Throws what the log throws: then none of it is there. */
  async acceptOutcomes(outcomes: readonly InboxAccepted[]): Promise<void> {
    if (outcomes.length > 0) await this.#appendUncounted(outcomes);
  }

  async #append(body: EntryBody, source: string): Promise<string> {
    const [entry] = await this.#appendAll([body], source);
    if (entry === undefined) throw new Error("history took a notification and gave no entry back");
    return entryId(this.#gate.state.generation, entry.seq);
  }

  async #appendAll(
    accepted: readonly EntryBody[],
    source: string,
    behind: readonly ChildCursor[] = [],
  ): Promise<readonly Entry[]> {
    if (accepted.length > this.room) {
      throw new YoiError(
        "inbox_full",
        `${this.waiting} notifications wait for this Pod already, and at most ${inboxMax} can, so the one from ${source} was not accepted: send it again when the Pod has run.`,
      );
    }
    return this.#appendUncounted(accepted, behind);
  }

  async #appendUncounted(
    accepted: readonly EntryBody[],
    behind: readonly ChildCursor[] = [],
  ): Promise<readonly Entry[]> {
    this.#arriving += accepted.length;
    try {
      return await this.#gate.append([...accepted, ...behind]);
    } catch (error) {
      this.#arriving -= accepted.length;
      throw error;
    }
  }

  #refuseWhenClosed(source: string): void {
    if (!this.#isClosed) return;
    const message = `The Pod is closing: the notification from ${source} was not accepted; send it again to the next owner.`;
    throw new YoiError("cancelled", message);
  }

  /** What is told next, as the entries that deliver it. Nothing is taken out: what is not committed is handed out again. */
  async drain(): Promise<readonly SystemItemEntry[]> {
    return toldNext(this.#gate.state).map(({ seq, item }) => ({ kind: "system_item", item, delivers: seq }));
  }

  /** From here on every sender is refused. */
  close(): void {
    this.#isClosed = true;
  }
}

/** Of what waits, oldest first, as much as one request takes. */
export function toldNext({ inbox }: Pick<SessionState, "inbox">): readonly WaitingItem[] {
  let bytes = 0;
  const over = inbox.findIndex(({ item }) => (bytes += utf8Length(item.body)) > drainedBytesMax);
  return over === -1 ? inbox : inbox.slice(0, Math.max(1, over));
}

function bodyOf(item: SystemItem, { submission, quiet }: Sending): InboxAccepted {
  return {
    kind: "inbox_accepted",
    item,
    ...(submission === undefined ? {} : { submission }),
    ...(quiet === true ? { quiet } : {}),
  };
}

function itemOf({ kind = "notification", source, message, reason }: Notice): SystemItem {
  requireChars(source, noticeSourceCharsMax, `The name of a notification's sender`);
  // A blank text is left out of every request: nobody would ever read it.
  if (message.trim() === "") {
    throw new YoiError("usage", `The notification from ${source} says nothing: give it a text.`);
  }
  const bytes = utf8Length(message);
  if (bytes > noticeBytesMax) {
    throw new YoiError(
      "limit_exceeded",
      `The notification from ${source} has ${bytes} bytes, and the limit is ${noticeBytesMax}: make it shorter.`,
    );
  }
  if (reason !== undefined)
    requireChars(reason, noticeReasonCharsMax, `The reason of the notification from ${source}`);
  return {
    type: "system_item",
    kind,
    source,
    ...(reason === undefined ? {} : { reason }),
    body: message,
  };
}

function requireChars(text: string, max: number, what: string): void {
  if (text.length <= max) return;
  throw new YoiError(
    "limit_exceeded",
    `${what} has ${text.length} characters, and the limit is ${max}: make it shorter.`,
  );
}
