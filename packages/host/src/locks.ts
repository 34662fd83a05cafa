/** Locks: one at a time over all processes of a machine, by a file that is there for nothing else. */

export interface Locks {
  /**
   * Runs `work` while nobody else holds the lock at `path`, and resolves with what it gives. The lock ends with the work, and with the process. Its file
   * is made where it is missing, in a directory that is there; it is empty, stays, and nobody but this port may open it: that would lose the lock.
   * In one process the works of one path run in the order in which they were asked for. A work must not ask for the lock that it runs under.
   * Throws io_failed where another process keeps the lock for too long, or where something else is in its place; permission_denied for a symbolic link
   * (nothing is followed), and where this user may not write.
   */
  hold<T>(path: string, work: () => Promise<T>): Promise<T>;
}

/** Works of one path, one after the other. */
export function oneAtATime(): Locks {
  const last = new Map<string, Promise<unknown>>();
  return {
    hold(path, work) {
      const before = last.get(path) ?? Promise.resolve();
      const mine = before.then(work);
      // How it ended is for the one who asked; the next in the queue only waits for it.
      const ended = mine.then(
        () => undefined,
        () => undefined,
      );
      last.set(path, ended);
      void ended.then(() => {
        if (last.get(path) === ended) last.delete(path);
      });
      return mine;
    },
  };
}
