/** Spending: what a session used so far, and what its providers counted for the bytes that they were sent. A part of the fold. */
import {
  addRequestCost,
  addSpent,
  addUsage,
  noCost,
  noSpent,
  noUsage,
  type BytesOfTokens,
  type Calibration,
  type Cost,
  type LlmUsage,
  type LogEntry,
  type SegmentStart,
  type Spent,
  type Usage,
} from "@yoi/base";

export class Spending {
  /** When the segment began, with what compactors used since. */
  #before: Spent = noSpent;
  #usage: Usage = noUsage;
  #requests = 0;
  #turns = 0;
  #runMs = 0;
  #lastTs = 0;
  /** Of the requests that are over. */
  #cost: Cost = noCost;
  /** A request that nobody has counted yet. */
  #isUncounted = false;
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
    return addSpent(this.#before, {
      requests: this.#requests,
      usage: this.#usage,
      cost_nano_usd: nano_usd,
      unpriced_requests,
      turns: this.#turns,
      run_ms: this.#runMs,
    });
  }

  get calibration(): Calibration {
    return Object.fromEntries(this.#calibration);
  }

  /** A request that nobody has counted yet, or ever will because its process died, is one without a known cost. */
  get #ownCost() {
    return this.#isUncounted ? addRequestCost(this.#cost, undefined) : this.#cost;
  }

  begin({ spent = noSpent, calibration = {} }: SegmentStart): void {
    this.#before = spent;
    for (const [model, known] of Object.entries(calibration)) this.#calibration.set(model, known);
  }

  /** Time counts while a run goes on; not that in which nobody had the log. */
  passTime({ kind, ts }: LogEntry, isRunning: boolean): void {
    if (isRunning && kind !== "opened") this.#runMs += Math.max(0, ts - this.#lastTs);
    this.#lastTs = ts;
  }

  requested(): void {
    this.#cost = this.#ownCost;
    this.#isUncounted = true;
  }

  sent({ usage, cost_nano_usd }: LlmUsage): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#requests += 1;
    this.#cost = addRequestCost(this.#cost, cost_nano_usd);
  }

  /** The last sending of the last request is counted. */
  counted(): void {
    this.#isUncounted = false;
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
