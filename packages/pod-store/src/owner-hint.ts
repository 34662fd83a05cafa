/** Who holds a lease, as the text of the hint file beside the lock; a hint for people, never an authority. */
import { isJsonObject } from "@yoi/base";
import type { LeaseOwner } from "./lease.ts";

/** A longer file is not one of ours. */
export const hintBytesMax = 4096;

/** A runtime directory with which the hint would be too long is left out. */
export function encodeOwner(owner: LeaseOwner): Uint8Array {
  const hint = {
    pid: owner.pid,
    started: owner.started,
    boot: owner.boot,
    since_ms: owner.sinceMs,
    purpose: owner.purpose,
  };
  const whole = bytesOf(owner.runtime === null ? hint : { ...hint, runtime: owner.runtime });
  return whole.length > hintBytesMax ? bytesOf(hint) : whole;
}

function bytesOf(hint: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(hint)}\n`);
}

/** Null for anything but a whole hint: the owner may be writing it at this moment, or have died while it did. */
export function decodeOwner(bytes: Uint8Array): LeaseOwner | null {
  if (bytes.length > hintBytesMax) return null;
  let hint: unknown;
  try {
    hint = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return null;
  }
  if (!isJsonObject(hint)) return null;
  const { pid, started, boot, since_ms: sinceMs, purpose, runtime } = hint;
  if (!isCount(pid) || pid === 0 || !isCount(started) || typeof boot !== "string") return null;
  if (typeof sinceMs !== "number" || typeof purpose !== "string") return null;
  // Earlier versions did not say.
  return { pid, started, boot, sinceMs, purpose, runtime: typeof runtime === "string" ? runtime : null };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
