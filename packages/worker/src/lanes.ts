/** Lanes: runs jobs in parallel up to a cap; jobs of one key one after the other, in order. */

export interface Job {
  /** Null: runs beside any other. */
  readonly key: string | null;
  /** A rejection ends all: what has not begun never does. */
  readonly run: () => Promise<void>;
}

export interface LaneOptions {
  readonly parallelMax: number;
  /** Asked before each start: true, and nothing more begins. */
  readonly stopped: () => boolean;
}

/** Resolves when every job that began has ended, with those that never began, in order; rejects with the first rejection, then too. */
export async function runInLanes<J extends Job>(
  jobs: readonly J[],
  options: LaneOptions,
): Promise<readonly J[]> {
  let waiting = [...jobs];
  const running = new Set<Promise<void>>();
  const busy = new Set<string>();
  const failures: unknown[] = [];
  const begin = (job: J) => {
    if (job.key !== null) busy.add(job.key);
    const ended: Promise<void> = job
      .run()
      .catch((error: unknown) => {
        failures.push(error);
      })
      .then(() => {
        running.delete(ended);
        if (job.key !== null) busy.delete(job.key);
      });
    running.add(ended);
  };
  for (;;) {
    const kept: J[] = [];
    for (const job of waiting) {
      const free = running.size < options.parallelMax && (job.key === null || !busy.has(job.key));
      if (free && failures.length === 0 && !options.stopped()) begin(job);
      else kept.push(job);
    }
    waiting = kept;
    if (running.size === 0) break;
    await Promise.race(running);
  }
  if (failures.length > 0) throw failures[0];
  return waiting;
}
