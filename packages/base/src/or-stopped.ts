/** Waiting for something until a signal aborts, and leaving nothing with a signal that outlives the wait. */

export const stopped = Symbol("stopped");

/** `work`, or `stopped` as soon as the signal aborts; what comes of `work` later is nobody's. Not called at all when it has aborted. */
export async function orStopped<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | typeof stopped> {
  if (signal.aborted) return stopped;
  const { promise, resolve } = Promise.withResolvers<typeof stopped>();
  const stop = (): void => resolve(stopped);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work(), promise]);
  } catch (error) {
    // A hook or a disk that fails because it was told to end is the stop, not a failure.
    if (signal.aborted) return stopped;
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
