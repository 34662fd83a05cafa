/** Raising a signal in this very process. */

/** Without a handler for it the process ends by the signal before this returns, whatever its threads wait for. */
export function raise(signal: NodeJS.Signals): void {
  process.kill(process.pid, signal);
}

/**
 * Stops this process and those that were started with it, as Ctrl-Z does where the terminal reads it: the shell has the terminal then. Returns when they go
 * on; at once where there is no shell that could let them (their group is an orphan: the system ignores it).
 */
export function stopOwnGroup(): void {
  process.kill(0, "SIGTSTP");
}
