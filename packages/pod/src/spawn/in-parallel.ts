/** The same work on each of many things, some at a time. */

/** Results in the order of `list`. The first failure is thrown once what was begun is done; nothing more is begun then. */
export async function inParallel<T, R>(
  list: readonly T[],
  atOnceMax: number,
  work: (each: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    for (;;) {
      const index = next;
      next += 1;
      const each = list[index];
      if (failed || each === undefined) return;
      try {
        results[index] = await work(each, index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const workers = Array.from({ length: Math.min(atOnceMax, list.length) }, worker);
  const failure = (await Promise.allSettled(workers)).find((outcome) => outcome.status === "rejected");
  if (failure !== undefined) throw failure.reason;
  return results;
}
