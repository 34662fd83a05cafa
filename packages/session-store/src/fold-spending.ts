/** Spending: what a session used so far, and what its providers counted for the bytes that they were sent. A part of the fold. */
import {
  addEstimate,
  addRequestCost,
  addSpent,
  addUsage,
  noCost,
  noSpent,
  noUsage,
  isUncounted,
  type BytesOfTokens,
  type Calibration,
  type Cost,
  type LlmRequest,
  type LlmUsage,
  type LogEntry,
  type SegmentStart,
  type Spent,
  type Usage,
} from "@yoi/base";
import { WorkTime } from "./work-time.ts";

export class Spending {
  /** When the segment began, with what compactors used since. */
  #before: Spent = noSpent;
  #usage: Usage = noUsage;
  #requests = 0;
  #turns = 0;
  readonly #time = new WorkTime();
  /** Of the requests that are over. */
  #cost: Cost = noCost;
  /** Of the sendings that nobody counted. */
  #estimated: Spent = noSpent;
  /** What the last request counts as where nobody counts it. */
  #estimate: LlmRequest["estimate"];
  /** The last request is one that nobody has counted yet. */
  isUncounted = false;
  readonly #calibration = new Map<string, BytesOfTokens>();

  get usage(): Usage {
    return addUsage(this.#before.usage, this.#usage);
  }

  get cost(): Cost {
    const { cost_nano_usd, unpriced_requests } = this.#before;
    const own = this.#ownCost;
    return {
      nano_usd: cost_nano_usd + own.nano_usd,
      unpriced_requests: unpriced_requests + own.unpriced_requests,
    };
  }

  get spent(): Spent {
    const { nano_usd, unpriced_requests } = this.#ownCost;
    return addSpent(addSpent(this.#before, this.#uncounted), {
      requests: this.#requests,
      usage: this.#usage,
      cost_nano_usd: nano_usd,
      unpriced_requests,
      turns: this.#turns,
      run_ms: this.#time.ms,
    });
  }

  get calibration(): Calibration {
    return Object.fromEntries(this.#calibration);
  }

  /** A request that nobody has counted yet, or ever will because its process died, is one without a known cost. */
  get #ownCost() {
    return this.isUncounted ? addRequestCost(this.#cost, undefined) : this.#cost;
  }

  get #uncounted(): Spent {
    return this.isUncounted ? addEstimate(this.#estimated, this.#estimate) : this.#estimated;
  }

  begin({ spent = noSpent, calibration = {} }: SegmentStart): void {
    this.#before = spent;
    for (const [model, known] of Object.entries(calibration)) this.#calibration.set(model, known);
  }

  passTime(entry: LogEntry): void {
    this.#time.take(entry);
  }

  requested({ estimate }: LlmRequest): void {
    this.#cost = this.#ownCost;
    this.#estimated = this.#uncounted;
    this.isUncounted = true;
    this.#estimate = estimate;
  }

  sent(counted: LlmUsage): void {
    const { usage, cost_nano_usd } = counted;
    if (isUncounted(counted)) this.#estimated = addEstimate(this.#estimated, this.#estimate);
    this.#usage = addUsage(this.#usage, usage);
    this.#requests += 1;
    this.#cost = addRequestCost(this.#cost, cost_nano_usd);
  }

  /** The last sending of the last request is counted. */
  counted(): void {
    this.isUncounted = false;
  }

  turnEnded(): void {
    this.#turns += 1;
  }

  /** What a compactor used. */
  add(spent: Spent): void {
    this.#before = addSpent(this.#before, spent);
  }

  /** Of a body of text: the last pairs weigh most. */
  calibrate(model: string, { bytes, tokens }: BytesOfTokens): void {
    const known = this.#calibration.get(model) ?? { bytes: 0, tokens: 0 };
    this.#calibration.set(model, {
      bytes: Math.floor(known.bytes / 2) + bytes,
      tokens: Math.floor(known.tokens / 2) + tokens,
    });
  }
}
