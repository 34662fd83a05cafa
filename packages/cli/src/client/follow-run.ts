/** FollowedRun: one run of a Pod in another process, followed to its end over lost connections. */
import { type CallId, type Entry, isKnown, type LogEntry, YoiError } from "@yoi/base";
import type { Live, PodView, RunEnded, StreamListener } from "@yoi/protocol";
import { approvalBlock, linesOf, digestChars } from "../output/transcript/entry-blocks.ts";

export interface FollowOptions {
  readonly name: string;
  readonly committed: (entries: readonly Entry[]) => void;
  readonly live: (live: Live) => void;
  /** A sentence for the user. */
  readonly say: (text: string) => void;
  /** Of the terminal that shows what is said; null: none does. */
  readonly columns: number | null;
}

/** What comes before it is known which run is followed waits; what is not of that run is not told. */
export class FollowedRun implements StreamListener {
  /** Resolves with the run's end; rejects where that cannot be known any more. */
  readonly ended: Promise<RunEnded>;
  readonly #end = Promise.withResolvers<RunEnded>();
  readonly #options: FollowOptions;
  /** Seq of its `invoke`; null: not known yet. */
  #run: number | null = null;
  #waiting: (() => void)[] = [];
  #began = false;
  readonly #calls = new Map<CallId, { readonly name: string; readonly arguments: string }>();

  constructor(options: FollowOptions) {
    this.#options = options;
    this.ended = this.#end.promise;
    // Who follows hears of it when it asks.
    this.ended.catch(() => undefined);
  }

  /** From here on the stream is of that run. */
  follow(run: number): void {
    this.#run = run;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const tell of waiting) tell();
  }

  readonly restarted = (): void => {
    this.#end.reject(this.#gone("its log began anew"));
  };

  readonly entry = (entry: LogEntry): void => {
    if (this.#run === null) {
      this.#waiting.push(() => this.entry(entry));
      return;
    }
    if (entry.seq < this.#run || !isKnown(entry)) return;
    if (entry.kind === "opened")
      this.#end.reject(this.#gone("its process ended, and another one hosts it now"));
    this.#began = true;
    this.#options.committed([entry]);
    if (entry.kind === "assistant_item" && entry.item.type === "tool_call")
      this.#calls.set(entry.item.call, entry.item);
    if (entry.kind === "tool_result") this.#calls.delete(entry.item.call);
    if (entry.kind === "approval_asked") this.#sayAsked(entry.digest, entry.call, entry.reason);
  };

  readonly snapshot = (view: PodView): void => {
    if (this.#run === null) {
      this.#waiting.push(() => this.snapshot(view));
      return;
    }
    // Taken before the run was on record.
    if (view.seq < this.#run) return;
    const last = view.last_run;
    const ended = last?.run ?? null;
    if (last !== null && ended === this.#run) this.#end.resolve(last);
    else if (view.state !== "running" || (ended !== null && ended > this.#run))
      this.#end.reject(this.#gone("its end came while the stream of its Pod was behind or lost"));
    else for (const alert of view.alerts) this.#options.live(alert);
  };

  readonly live = (live: Live): void => {
    if (this.#run === null) {
      this.#waiting.push(() => this.live(live));
      return;
    }
    if (live.type === "run_ended" && live.run.run === this.#run) this.#end.resolve(live.run);
    else if (live.type === "run_failed" && live.run === this.#run)
      this.#end.reject(new YoiError("log_poisoned", live.message));
    else if (this.#began) this.#options.live(live);
  };

  readonly disconnected = (why: string): void => {
    this.#options.say(`Connection lost (${why}) Trying again.`);
  };

  /** An approval that waited before the run went on. */
  sayWaiting({ approvals }: Pick<PodView, "approvals">): void {
    for (const { digest, tool, arguments: args, reason } of approvals)
      this.#sayAsk(digest, tool, args, reason);
  }

  #sayAsked(digest: string, call: CallId, reason: string): void {
    const { name, arguments: args } = this.#calls.get(call) ?? { name: `call ${call}`, arguments: "" };
    this.#sayAsk(digest, name, args, reason);
  }

  #sayAsk(digest: string, tool: string, args: string, reason: string): void {
    const { name, say, columns } = this.#options;
    const id = digest.slice(0, digestChars);
    const block = approvalBlock({ digest, tool, arguments: args, reason });
    for (const row of linesOf(block, columns).trimEnd().split("\n")) say(row);
    say(
      `Answer in another terminal: \`yoi approve ${name} ${id}\`, or refuse with --deny --reason TEXT behind it.`,
    );
  }

  #gone(why: string): YoiError {
    const { name } = this.#options;
    return new YoiError(
      "pod_unreachable",
      `How the run in the Pod ${name} ended was not seen, because ${why}: \`yoi pod log ${name}\` shows what it did, and \`yoi run --pod ${name}\` goes on where it is unfinished.`,
    );
  }
}
