/** The same work on each of many things, some at a time. */

/** Results in the order of `list`. A failure is thrown once what was begun is done; nothing more is begun then. */
export async function inParallel<T, R>(
  list: readonly T[],
  atOnceMax: number,
  work: (each: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const rest = list.entries();
  let isFailed = false;
  const worker = async (): Promise<void> => {
    for (const [index, each] of rest) {
      if (isFailed) return;
      try {
        results[index] = await work(each);
      } catch (error) {
        isFailed = true;
        throw error;
      }
    }
  };
  const workers = Array.from({ length: Math.min(atOnceMax, list.length) }, worker);
  const failure = (await Promise.allSettled(workers)).find((outcome) => outcome.status === "rejected");
  if (failure !== undefined) throw failure.reason;
  return results;
}
