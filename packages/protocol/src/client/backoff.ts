/** Backoff: how long to wait before another connection is tried. */
import type { Random } from "@yoi/base";

export const backoffMinMs = 50;
export const backoffMaxMs = 2_000;

/**
 * Doubles with each failure, with jitter: many clients of one Pod do not come back in step.
 * @param failures since something came of a connection; from 0.
 */
export function backoffMs(failures: number, random: Random): number {
  const fullMs = Math.min(backoffMaxMs, backoffMinMs * 2 ** failures);
  return fullMs * (0.5 + random.next() / 2);
}
