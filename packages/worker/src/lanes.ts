/** Lanes: runs jobs in parallel up to a cap; jobs whose claims conflict one after the other, in order. */
import type { Claim } from "@yoi/base";

export interface Job {
  /** Null: runs beside any other. */
  readonly claim: Claim | null;
  /** A rejection ends all: what has not begun never does. */
  readonly run: () => Promise<void>;
}

export interface LaneOptions<J extends Job> {
  /** Jobs that come while others run, each behind all that wait then; null: none after all. A rejection is one of a job. */
  readonly later?: readonly Promise<J | null>[];
  readonly parallelMax: number;
  /** Asked before each start: true, and nothing more begins. */
  readonly stopped: () => boolean;
}

/**
 * A job waits for the earlier jobs that it conflicts with, whether they run or wait themselves, and for no later one. Resolves when every
 * job that began has ended and none can come any more, with those that never began, in order; rejects with the first rejection, then too.
 */
export async function runInLanes<J extends Job>(
  jobs: readonly J[],
  options: LaneOptions<J>,
): Promise<readonly J[]> {
  let waiting = [...jobs];
  const running = new Map<J, Promise<void>>();
  const failures: unknown[] = [];
  const begin = (job: J) => {
    const ended = job
      .run()
      .catch((error: unknown) => {
        failures.push(error);
      })
      .then(() => {
        running.delete(job);
      });
    running.set(job, ended);
  };
  const coming = new Set<Promise<void>>();
  for (const one of options.later ?? []) {
    const arrived = one
      .then(
        (job) => void (job !== null && waiting.push(job)),
        (error: unknown) => void failures.push(error),
      )
      .then(() => void coming.delete(arrived));
    coming.add(arrived);
  }
  for (;;) {
    const kept: J[] = [];
    const ahead: Job[] = [...running.keys()];
    for (const job of waiting) {
      const free =
        running.size < options.parallelMax && !ahead.some((other) => conflict(other.claim, job.claim));
      if (free && failures.length === 0 && !options.stopped()) begin(job);
      else kept.push(job);
      ahead.push(job);
    }
    waiting = kept;
    if (running.size === 0 && coming.size === 0) break;
    await Promise.race([...running.values(), ...coming]);
  }
  if (failures.length > 0) throw failures[0];
  return waiting;
}

function conflict(a: Claim | null, b: Claim | null): boolean {
  if (a === null || b === null || (a.mode === "shared" && b.mode === "shared")) return false;
  return holds(a.path, b.path) || holds(b.path, a.path);
}

function holds(outer: string, inner: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith("/") ? outer : `${outer}/`);
}
