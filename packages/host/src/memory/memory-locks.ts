/** Locks of a simulated machine: one process, whose end frees them. */
import { type Locks, oneAtATime } from "../locks.ts";
import type { Disk } from "./disk.ts";

export function memoryLocks(disk: Disk): Locks {
  const queue = oneAtATime();
  return {
    hold: (path, work) =>
      queue.hold(path, async () => {
        disk.assertAlive();
        return work();
      }),
  };
}
