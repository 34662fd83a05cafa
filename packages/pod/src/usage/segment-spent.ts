/** SegmentSpent: what the records of one segment add up to, beside what it says was used before it. One pass; nothing of an entry is kept. */
import {
  addEstimate,
  addSpent,
  addUsage,
  type Compacted,
  isUncounted,
  type JsonValue,
  type LlmRequest,
  type LlmUsage,
  noSpent,
  type SegmentStart,
  type Spent,
} from "@yoi/base";
import { type DecodedEntry, WorkTime } from "@yoi/session-store";
import { childrenSpentDomain } from "./children-record.ts";

type Known = Exclude<DecodedEntry, { detached: true } | { opaque: true }>;

interface Asked {
  readonly request: number;
  isCounted: boolean;
  readonly estimate: LlmRequest["estimate"];
}

export class SegmentSpent {
  #start: Omit<SegmentStart, "prompt"> | null = null;
  #own: Spent = noSpent;
  /** The last request, and whether the last time that it was sent is counted. */
  #asked: Asked = { request: -1, isCounted: true, estimate: undefined };
  readonly #time = new WorkTime();
  readonly #compactions: Compacted[] = [];
  #children: JsonValue | null = null;
  #entries = 0;

  take(entry: DecodedEntry): void {
    this.#entries += 1;
    // The shape of its kind has been checked field by field, but for the payload, which is none of what is read here.
    const known = "opaque" in entry ? null : "detached" in entry ? (entry.fields as unknown as Known) : entry;
    this.#time.take(entry);
    if (known !== null) this.#takeKnown(known);
  }

  get start(): Omit<SegmentStart, "prompt"> | null {
    return this.#start;
  }
  get entries(): number {
    return this.#entries;
  }
  /** Of its own records. */
  get own(): Spent {
    return { ...this.#counted, run_ms: this.#time.ms };
  }
  /** What compactors used, of each try whose end is in this segment. */
  get compactions(): readonly Compacted[] {
    return this.#compactions;
  }
  /** Of the Pod up to its end, as its fold has it. */
  get total(): Spent {
    const before = addSpent(this.#start?.spent ?? noSpent, this.own);
    return this.#compactions.reduce((sum, { spent }) => addSpent(sum, spent), before);
  }
  /** The last record of what the Pod's children used; null: there is none. */
  get children(): JsonValue | null {
    return this.#children;
  }

  /** With the last request, as far as it is counted. */
  get #counted(): Spent {
    const { isCounted, estimate } = this.#asked;
    if (isCounted) return this.#own;
    const { unpriced_requests } = this.#own;
    return addEstimate({ ...this.#own, unpriced_requests: unpriced_requests + 1 }, estimate);
  }

  #takeKnown(entry: Known): void {
    switch (entry.kind) {
      case "segment_start":
        this.#start = entry;
        return;
      case "llm_request":
        this.#own = this.#counted;
        this.#asked = { request: entry.seq, isCounted: false, estimate: entry.estimate };
        return;
      case "llm_usage":
        this.#count(entry);
        return;
      case "turn_end":
        this.#own = { ...this.#own, turns: this.#own.turns + 1 };
        return;
      case "compacted":
        this.#compactions.push(entry);
        return;
      case "extension":
        if (entry.domain === childrenSpentDomain) this.#children = entry.payload;
        return;
      case "carried":
        if (entry.of === "extension" && entry.domain === childrenSpentDomain) this.#children = entry.payload;
        return;
      default:
    }
  }

  #count(counted: LlmUsage): void {
    const { request, attempt, usage, cost_nano_usd } = counted;
    const own = isUncounted(counted) ? addEstimate(this.#own, this.#asked.estimate) : this.#own;
    this.#own = {
      ...own,
      requests: own.requests + 1,
      usage: addUsage(own.usage, usage),
      cost_nano_usd: own.cost_nano_usd + (cost_nano_usd ?? 0),
      unpriced_requests: own.unpriced_requests + (cost_nano_usd === undefined ? 1 : 0),
    };
    if (request === this.#asked.request && attempt === undefined) this.#asked.isCounted = true;
  }
}
