/** FollowedRun: one run of a Pod in another process, followed to its end over lost connections. */
import { type ApprovalAsked, type CallId, type Entry, isKnown, type LogEntry, YoiError } from "@yoi/base";
import { parseEntryId } from "@yoi/pod";
import type { Live, PodView, Rotation, RunEnded, StreamListener } from "@yoi/protocol";
import { approvalBlock, linesOf, digestChars } from "../output/transcript/entry-blocks.ts";

export interface FollowOptions {
  readonly name: string;
  readonly committed: (entries: readonly Entry[]) => void;
  readonly live: (live: Live) => void;
  /** A sentence for the user. */
  readonly say: (text: string) => void;
  /** Of the terminal that shows what is said; null: none does. */
  readonly columns: number | null;
  /** In which the stream begins. */
  readonly segment: string;
  readonly generation: number;
}

/** Where an entry stands in the Pod's life: by the generation of its segment, then by its seq there. */
type Place = NonNullable<ReturnType<typeof parseEntryId>>;

/** What comes before it is known which run is followed waits; what is not of that run is not told. */
export class FollowedRun implements StreamListener {
  /** Resolves with the run's end; rejects where that cannot be known any more. */
  readonly ended: Promise<RunEnded>;
  readonly #end = Promise.withResolvers<RunEnded>();
  readonly #options: FollowOptions;
  /** Its `invoke`; null: not known yet. */
  #run: { readonly id: string; readonly place: Place } | null = null;
  /** Of the segment whose entries come. */
  #generation: number;
  #segment: string;
  /** What comes up to its `opened` is how a segment begins that history goes on in: no process began. */
  #isBeginning = false;
  #waiting: (() => void)[] = [];
  #began = false;
  readonly #calls = new Map<CallId, { readonly name: string; readonly arguments: string }>();

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#generation = options.generation;
    this.#segment = options.segment;
    this.ended = this.#end.promise;
    // Who follows hears of it when it asks.
    this.ended.catch(() => undefined);
  }

  /** The one that the run is in now. */
  get segment(): string {
    return this.#segment;
  }

  /** From here on the stream is of the run whose `invoke` has that id. */
  follow(id: string): void {
    const place = parseEntryId(id);
    if (place === null) throw new Error(`${id} names no run`);
    this.#run = { id, place };
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const tell of waiting) tell();
  }

  readonly restarted = (): void => {
    this.#end.reject(this.#gone("its log began anew"));
  };

  readonly rotated = (rotation: Rotation): void => {
    if (this.#run === null) {
      this.#waiting.push(() => this.rotated(rotation));
      return;
    }
    this.#generation = rotation.generation;
    this.#segment = rotation.segment;
    this.#isBeginning = true;
  };

  readonly entry = (entry: LogEntry): void => {
    if (this.#run === null) {
      this.#waiting.push(() => this.entry(entry));
      return;
    }
    const place = { generation: this.#generation, seq: entry.seq };
    if (isBefore(place, this.#run.place) || !isKnown(entry)) return;
    if (entry.kind === "opened") {
      if (!this.#isBeginning) this.#end.reject(this.#gone("its process ended, and another one hosts it now"));
      this.#isBeginning = false;
    }
    this.#began = true;
    this.#options.committed([entry]);
    if (entry.kind === "assistant_item" && entry.item.type === "tool_call")
      this.#calls.set(entry.item.call, entry.item);
    if (entry.kind === "tool_result") this.#calls.delete(entry.item.call);
    if (entry.kind === "approval_asked") this.#sayAsked(entry);
  };

  readonly snapshot = (view: PodView): void => {
    if (this.#run === null) {
      this.#waiting.push(() => this.snapshot(view));
      return;
    }
    // Taken before the run was on record.
    if (isBefore(view, this.#run.place)) return;
    const last = view.last_run;
    const ended = last?.run ?? null;
    if (last !== null && ended === this.#run.id) this.#end.resolve(last);
    else if (view.state !== "running" || isBehind(ended, this.#run.place))
      this.#end.reject(this.#gone("its end came while the stream of its Pod was behind or lost"));
    else for (const alert of view.alerts) this.#options.live(alert);
  };

  readonly live = (live: Live): void => {
    if (this.#run === null) {
      this.#waiting.push(() => this.live(live));
      return;
    }
    if (live.type === "run_ended" && live.run.run === this.#run.id) this.#end.resolve(live.run);
    else if (live.type === "run_failed" && live.run === this.#run.id)
      this.#end.reject(new YoiError("log_poisoned", live.message));
    else if (this.#began) this.#options.live(live);
  };

  readonly disconnected = (why: string): void => {
    this.#options.say(`Connection lost (${why}) Trying again.`);
  };

  /** An approval that waited before the run went on. */
  sayWaiting({ approvals }: Pick<PodView, "approvals">): void {
    for (const approval of approvals) this.#sayAsk(approval);
  }

  #sayAsked({ digest, call, reason, offers = [] }: ApprovalAsked): void {
    const { name, arguments: args } = this.#calls.get(call) ?? { name: `call ${call}`, arguments: "" };
    this.#sayAsk({ digest, tool: name, arguments: args, reason, offers });
  }

  #sayAsk(asked: Parameters<typeof approvalBlock>[0]): void {
    const { name, say, columns } = this.#options;
    const id = asked.digest.slice(0, digestChars);
    const block = approvalBlock(asked);
    for (const row of linesOf(block, columns).trimEnd().split("\n")) say(row);
    const kept = (asked.offers ?? []).length === 0 ? "" : " (--for session or --for always keeps a rule)";
    say(
      `Answer in another terminal: \`yoi approve ${name} ${id}\`${kept}, or refuse with --deny --reason TEXT behind it.`,
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

function isBefore(one: Place, other: Place): boolean {
  return one.generation === other.generation ? one.seq < other.seq : one.generation < other.generation;
}

/** Another run than the one at `place` has ended since. */
function isBehind(ended: string | null, place: Place): boolean {
  const endedPlace = ended === null ? null : parseEntryId(ended);
  return endedPlace !== null && isBefore(place, endedPlace);
}
