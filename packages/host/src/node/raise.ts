/** Raising a signal in this very process. */

/** Without a handler for it the process ends by the signal before this returns, whatever its threads wait for. */
export function raise(signal: "SIGINT" | "SIGTERM"): void {
  process.kill(process.pid, signal);
}
