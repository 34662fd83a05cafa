/** Resolving a name as the machine does, its hosts file included. */
import { lookup } from "node:dns/promises";
import type { Resolve } from "./target.ts";

/** The look-up itself cannot be ended; whoever waits for it can. */
export const systemResolve: Resolve = async (host, signal) => {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    const found = await Promise.race([lookup(host, { all: true, verbatim: true }), aborted.promise]);
    return found.map(({ address }) => address);
  } finally {
    signal.removeEventListener("abort", abort);
  }
};
