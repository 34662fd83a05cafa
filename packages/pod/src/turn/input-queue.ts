/** InputQueue: what the user gives for later, durable before they hear that it waits, and given to the model once. */
import {
  type Entry,
  type EntryBody,
  entryId,
  idOf,
  type InputPart,
  type QueueTime,
  utf8Length,
  YoiError,
  orStopped,
  stopped,
} from "@yoi/base";
import type { WaitingInput } from "@yoi/session-store";
import type { HistoryGate } from "../history/gate.ts";
import type { Accepted, Submissions } from "../inbox/submissions.ts";
import {
  type Attaching,
  bodiesOf,
  type GivenInput,
  type InputPorts,
  refuseInput,
  tellGiven,
  withAttached,
} from "./given-input.ts";

/** Inputs that wait at a time; one beyond them is refused. */
export const queueMax = 32;
/** UTF-8 bytes of their parts as JSON, all together: every client is shown all of them. */
export const queueBytesMax = 4 * 1024 * 1024;

export interface QueuedInput {
  readonly parts: readonly InputPart[];
  readonly submission: string;
  readonly when: QueueTime;
}

/**
 * The fold over the log is the only queue: what is accepted, and neither given nor taken back, waits in `state.queue`, also after a crash. A `user_input` names
 * what it delivers in its own line, so it is in history and out of the queue in the same instant, however its batch was torn.
 */
export class InputQueue {
  readonly #gate: HistoryGate;
  readonly #submissions: Submissions;
  readonly #attaching: Attaching;
  /** Bytes of what is being accepted, by submission: not durable yet, and its place is taken. */
  readonly #arriving = new Map<string, number>();
  /** What is on its way out, by id: to the model or back to the user, and nobody else gets it until that is decided. */
  readonly #leaving = new Map<string, Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor(gate: HistoryGate, submissions: Submissions, attaching: Attaching) {
    this.#gate = gate;
    this.#submissions = submissions;
    this.#attaching = attaching;
    gate.onCommit((entries) => {
      for (const entry of entries) if (entry.kind === "input_queued") this.#arriving.delete(entry.submission);
    });
  }

  /** Something waits, and not for the user alone. */
  get isReady(): boolean {
    const { queue, queueHeld } = this.#gate.state;
    return queue.length > 0 && !queueHeld;
  }

  /**
   * Resolves once it is durable, with the id of its `input_queued`. Throws queue_full, prompt_empty, prompt_refused, submission_conflict, cancelled (the Pod is
   * closing), or what the log throws: then nothing of it is there.
   */
  async accept({ parts, submission, when }: QueuedInput, ports: InputPorts): Promise<Accepted> {
    const accept = () => this.#accept({ kind: "input_queued", parts, when, submission }, ports);
    const { duplicate, id } = await this.#submissions.once(submission, parts, accept);
    if (id === null) throw closing();
    return { duplicate, id };
  }

  async #accept(
    body: Extract<EntryBody, { readonly kind: "input_queued" }>,
    ports: InputPorts,
  ): Promise<string | null> {
    if (this.#closing.signal.aborted) return null;
    const { parts, submission } = body;
    const bytes = bytesOf(parts);
    this.#requireRoom(bytes);
    this.#arriving.set(submission, bytes);
    try {
      if ((await refuseInput(this.#gate, parts, ports, this.#closing.signal)) === stopped) return null;
      const [entry] = await this.#gate.append([body]);
      if (entry === undefined) throw new Error("history took an input and gave no entry back");
      return entryId(this.#gate.generation, entry.seq);
    } finally {
      this.#arriving.delete(submission);
    }
  }

  #requireRoom(bytes: number): void {
    const { queue } = this.#gate.state;
    const waiting = queue.length + this.#arriving.size;
    if (waiting >= queueMax) {
      throw new YoiError(
        "queue_full",
        `${waiting} inputs wait for this Pod already, and at most ${queueMax} can: give this one again when some of them were taken, or take one back.`,
      );
    }
    const taken = [...queue.map(({ parts }) => bytesOf(parts)), ...this.#arriving.values()];
    const all = taken.reduce((sum, each) => sum + each, bytes);
    if (all <= queueBytesMax) return;
    throw new YoiError(
      "queue_full",
      `With this input ${all} bytes would wait for this Pod, and at most ${queueBytesMax} can: give it when the Pod is idle, or put it into a file and name that.`,
    );
  }

  /** Takes one back that waits still; resolves once that is durable. Throws target_unknown. */
  async takeBack(id: string): Promise<readonly InputPart[]> {
    for (;;) {
      // Behind a rotation it has another seq.
      await this.#gate.still();
      const found = this.#find(id);
      if (found === undefined)
        throw new YoiError(
          "target_unknown",
          `No input with the id ${id} waits: it was taken by the Pod, or taken back before.`,
        );
      const leaving = this.#leaving.get(id);
      if (leaving === undefined)
        return this.#leave([id], async () => {
          await this.#gate.append([{ kind: "input_unqueued", queued: found.seq }]);
          return found.parts;
        });
      await leaving;
    }
  }

  /**
   * Puts the first input that waits on record, behind what `before` says at that moment, as the beginning of a run. `stopped`: the signal aborted before that, and
   * it waits as before. Null: none waits.
   */
  async first(
    before: () => readonly EntryBody[],
    signal: AbortSignal,
  ): Promise<readonly Entry[] | typeof stopped | null> {
    for (;;) {
      const [first] = this.#gate.state.queue;
      if (first === undefined) return null;
      const leaving = this.#leaving.get(idOf(first));
      if (leaving === undefined) return this.#give([first], before, signal);
      await leaving;
    }
  }

  /** Step 1 of the loop: what waits for the next request is given to the model. Where the signal aborts before it is on record, it waits as before. */
  async deliver(signal: AbortSignal): Promise<void> {
    const { queue, queueHeld } = this.#gate.state;
    if (queue.length === 0 || queueHeld) return;
    const due = queue.filter((one) => one.when === "boundary" && !this.#leaving.has(idOf(one)));
    if (due.length > 0) await this.#give(due, () => [], signal);
  }

  async #give(
    due: readonly WaitingInput[],
    before: () => readonly EntryBody[],
    signal: AbortSignal,
  ): Promise<readonly Entry[] | typeof stopped> {
    return this.#leave(due.map(idOf), async () => {
      const inputs = due.map(({ seq, parts, submission }) => ({ parts, submission, delivers: seq }));
      const attachAll = async () => {
        const given: GivenInput[] = [];
        for (const input of inputs) given.push(await withAttached(input, this.#attaching));
        return given;
      };
      const given = await orStopped(signal, attachAll);
      if (given === stopped) return stopped;
      const entries = await this.#gate.append([...before(), ...given.flatMap(bodiesOf)]);
      tellGiven(given, entries, this.#attaching);
      return entries;
    });
  }

  /** Whoever waits for it hears when it is decided, not what came of it. */
  async #leave<T>(ids: readonly string[], work: () => Promise<T>): Promise<T> {
    const decided = Promise.withResolvers<void>();
    for (const id of ids) this.#leaving.set(id, decided.promise);
    try {
      return await work();
    } finally {
      for (const id of ids) this.#leaving.delete(id);
      decided.resolve();
    }
  }

  #find(id: string): WaitingInput | undefined {
    return this.#gate.state.queue.find((one) => idOf(one) === id);
  }

  /** From here on every input is refused. */
  close(): void {
    this.#closing.abort();
  }
}

function bytesOf(parts: readonly InputPart[]): number {
  return utf8Length(JSON.stringify(parts));
}

function closing(): YoiError {
  const message = "The Pod is closing: the input was not accepted; give it again to the next owner.";
  return new YoiError("cancelled", message);
}
