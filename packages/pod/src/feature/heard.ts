/** Promises that a feature is handed: one that nobody waits for is no uncaught error of the process when it fails. */

/** The same promise: who waits for it gets what comes of it. */
export function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
