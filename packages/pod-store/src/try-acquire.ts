/** Taking a lease where it is no failure that somebody has it. */
import { type PodName, YoiError } from "@yoi/base";
import type { HeldLease, Lease } from "./lease.ts";

/** Somebody keeps a lease. */
export function isHeldError(error: unknown): error is YoiError {
  return error instanceof YoiError && error.code === "pod_held";
}

/** The lease, or the pod_held that says who has it. Throws what else `acquire` does. */
export async function tryAcquire(
  lease: Pick<Lease, "acquire">,
  name: PodName,
  purpose: string,
): Promise<{ readonly lease: HeldLease } | { readonly error: YoiError }> {
  try {
    return { lease: await lease.acquire(name, purpose) };
  } catch (error) {
    if (isHeldError(error)) return { error };
    throw error;
  }
}
