/** WorkTime: how long the runs of a segment went on, by the times of its entries. */
import type { CallId } from "@yoi/base";
import type { DecodedEntry } from "./log-entry.ts";

/** Between two entries no more than this counts: as long as a command may run, and less than a machine sleeps over night. */
export const workGapMsMax = 60 * 60 * 1000;

export class WorkTime {
  #ms = 0;
  #lastMs = 0;
  #isRunning = false;
  /** Calls whose result is not on record. A result that lies in a blob does not say whose it is: it has one less at work. */
  readonly #started = new Set<CallId>();
  #atWork = 0;
  /** Calls that wait for the user's answer. */
  readonly #asked = new Set<CallId>();

  /** Not the time in which nobody had the log, nor that in which all that was left to do waited for its user. */
  get ms(): number {
    return this.#ms;
  }

  take(entry: DecodedEntry): void {
    const ms = "detached" in entry ? Number(entry.fields["ts"]) : entry.ts;
    const waits = this.#asked.size > 0 && this.#atWork === 0;
    if (this.#isRunning && !waits && entry.kind !== "opened")
      this.#ms += Math.min(workGapMsMax, Math.max(0, ms - this.#lastMs));
    this.#lastMs = ms;
    if (!("opaque" in entry)) this.#apply(entry);
  }

  #apply(entry: Exclude<DecodedEntry, { opaque: true }>): void {
    if ("detached" in entry) {
      if (entry.kind === "tool_result") this.#atWork = Math.max(0, this.#atWork - 1);
      return;
    }
    switch (entry.kind) {
      case "invoke":
        this.#isRunning = true;
        return;
      case "run_completed":
      case "run_errored":
      case "run_paused":
      case "turn_rolled_back":
        this.#isRunning = false;
        return;
      case "llm_request":
        // By now each call has its result.
        this.#started.clear();
        this.#atWork = 0;
        this.#asked.clear();
        return;
      case "carried":
        if (entry.of === "tool_started") this.#start(entry.call);
        return;
      case "tool_started":
        this.#start(entry.call);
        return;
      case "tool_result":
        this.#asked.delete(entry.item.call);
        if (this.#started.delete(entry.item.call)) this.#atWork = Math.max(0, this.#atWork - 1);
        return;
      case "approval_asked":
        this.#asked.add(entry.call);
        return;
      case "approval_answered":
        this.#asked.delete(entry.call);
        return;
      default:
    }
  }

  #start(call: CallId): void {
    this.#asked.delete(call);
    this.#started.add(call);
    this.#atWork += 1;
  }
}
