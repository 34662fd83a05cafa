/** Shares a span of time fairly among proofs: the one that has had the least runs its next case. */
import type { Proof } from "../support/proof.ts";
import type { Positions } from "./position.ts";

export interface Failure {
  readonly name: string;
  readonly index: number;
  readonly cause: unknown;
}

export interface Outcome {
  /** Next case by proof: one past the last that held. A failed case is the next one. */
  readonly positions: Positions;
  readonly failure: Failure | null;
  /** Cases that ran, the failed one included. */
  readonly ran: number;
}

export interface Schedule {
  readonly proofs: readonly Proof[];
  readonly positions: Positions;
  /** Milliseconds from an arbitrary start. */
  readonly now: () => number;
  /** No case is started after this moment; every unfinished proof gets one case whatever the time. */
  readonly untilMs: number;
  /** Called after each case with the positions so far. */
  readonly progress?: (positions: Positions) => void;
  /** Aborted: no further case is started. */
  readonly signal?: AbortSignal;
}

/** Runs cases until the time is over, all are done, or one fails. */
export async function runSchedule(schedule: Schedule): Promise<Outcome> {
  const positions = new Map(schedule.positions);
  const spentMs = new Map<string, number>();
  const next = (proof: Proof) => positions.get(proof.name) ?? 0;
  let ran = 0;
  for (;;) {
    const proof = schedule.proofs
      .filter((candidate) => next(candidate) < candidate.cases.prove)
      .reduce<Proof | null>(
        (least, one) =>
          least === null || (spentMs.get(one.name) ?? -1) < (spentMs.get(least.name) ?? -1) ? one : least,
        null,
      );
    const over = proof !== null && spentMs.has(proof.name) && schedule.now() >= schedule.untilMs;
    if (proof === null || over || schedule.signal?.aborted === true) return { positions, failure: null, ran };
    const index = next(proof);
    const startedMs = schedule.now();
    try {
      await proof.check(index);
    } catch (cause) {
      return { positions, failure: { name: proof.name, index, cause }, ran: ran + 1 };
    }
    ran += 1;
    spentMs.set(proof.name, (spentMs.get(proof.name) ?? 0) + schedule.now() - startedMs);
    positions.set(proof.name, index + 1);
    schedule.progress?.(positions);
  }
}
