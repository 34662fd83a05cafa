/** The fold over inputs: those that wait for their time, and those that the last run was given. */
import { type Entry, entryId, type Invoke, type UserInput } from "@yoi/base";
import type { WaitingInput } from "./session-state.ts";

/** An input that the last run was given: where it stands with what it attached, and what waited for it. */
interface Given {
  readonly from: number;
  readonly through: number;
  readonly queued: WaitingInput | null;
}

/** Where an input stood in history, both ends included. */
export interface Stretch {
  readonly from: number;
  readonly through: number;
}

/** What begins or goes on by itself is not. */
function isUsersWord({ trigger, by }: Invoke): boolean {
  return trigger === "user_send" || (trigger === "resume" && by === undefined);
}

export class Inputs {
  readonly #waiting = new Map<number, WaitingInput>();
  /** What waits goes on only once the user says so: the run before it did not finish, or its process ended. */
  isHeld = false;
  #hasOwner = false;
  #run = -1;
  #given: readonly Given[] = [];

  /** In the order of acceptance. */
  get waiting(): readonly WaitingInput[] {
    return [...this.#waiting.values()];
  }

  /** But a roll back, which is asked for by `rolledBack`. */
  apply(entry: Entry, generation: number): void {
    switch (entry.kind) {
      case "segment_start":
        this.isHeld = entry.queue_held ?? false;
        this.#hasOwner = false;
        return;
      case "opened":
        // The first one belongs to the owner that began the segment; a later owner gives nothing that nobody asks it for.
        if (this.#hasOwner) this.#hold();
        this.#hasOwner = true;
        return;
      case "carried":
        if (entry.of === "input_queued") this.#waits({ ...entry, parts: entry.item.parts });
        return;
      case "input_queued":
        this.#waits(generation === 0 ? entry : { ...entry, id: entryId(generation, entry.seq) });
        // Who says more means all of it to go on.
        this.isHeld = false;
        return;
      case "input_unqueued":
        this.#waiting.delete(entry.queued);
        return;
      case "user_input":
        this.#give(entry);
        return;
      case "invoke":
        this.#run = entry.seq;
        this.#given = [];
        if (isUsersWord(entry)) this.isHeld = false;
        return;
      case "run_completed":
        if (entry.result !== "finished") this.#hold();
        return;
      case "run_errored":
        this.#hold();
        return;
      default:
    }
  }

  #waits({ seq, when, parts, submission, id }: WaitingInput): void {
    this.#waiting.set(seq, { seq, when, parts, submission, ...(id === undefined ? {} : { id }) });
  }

  #give({ seq, attachments = 0, delivers }: UserInput & { readonly seq: number }): void {
    const queued = delivers === undefined ? null : (this.#waiting.get(delivers) ?? null);
    if (queued !== null) this.#waiting.delete(queued.seq);
    this.#given = [...this.#given, { from: seq, through: seq + attachments, queued }];
  }

  /** What the run that `invoke` began was given leaves history; what of it had waited waits again. */
  rolledBack(invoke: number): readonly Stretch[] {
    const given = this.#run === invoke ? this.#given : [];
    this.#given = [];
    const waiting = [...given.flatMap(({ queued }) => queued ?? []), ...this.waiting];
    this.#waiting.clear();
    for (const one of waiting.toSorted((a, b) => a.seq - b.seq)) this.#waiting.set(one.seq, one);
    this.#hold();
    return given;
  }

  #hold(): void {
    this.isHeld = this.#waiting.size > 0;
  }
}
