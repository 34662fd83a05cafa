/** Ending a child: asked first, then killed with its process group, and never believed before its lease is free. */
import { type PodName, YoiError } from "@yoi/base";
import { type HeldLease, hostPurpose, tryAcquire } from "@yoi/pod-store";
import type { ChildHost } from "./child-host.ts";
import type { Take } from "./hold-tree.ts";
import type { Lender } from "./lender.ts";

/** How long a child may take for its orderly end. */
export const orderlyEndMs = 15_000;
/** How long a killed process's lease may take to come free. */
export const killedMs = 5_000;
/** How long one may take that has children: it ends those first, and kills those that do not end. */
export const orderlyEndAboveMs = orderlyEndMs + killedMs + orderlyEndMs;
const lookEveryMs = 50;
const purpose = "stop";

/** Takes a lease by ending whoever has it. Throws pod_held where it does not come free. */
export function takeByEnding(
  lender: Pick<Lender, "lease" | "host" | "ports" | "pods">,
  { asks = true }: { readonly asks?: boolean } = {},
): Take {
  return async (name, isStored) => {
    const { host, lease } = lender;
    const first = await tryAcquire(lease, name, purpose);
    if (!("error" in first)) return { lease: first.lease, wasKilled: false };
    // Nobody is ended who may have nothing to do with it.
    if (host === null || !isStored) throw first.error;
    if (asks) {
      // As far as it can be heard, and not waited for: what counts is the lease.
      askToEnd(host, name).catch(() => {});
      const ended = await takeWithin(lender, name, await patienceFor(lender, name));
      if (ended !== null) return { lease: ended, wasKilled: false };
    }
    const holder = await lease.owner(name);
    // A person who runs the child in a terminal is not killed from here.
    const wasKilled =
      holder?.alive === true && holder.owner.purpose === hostPurpose && host.endGroup(holder.owner);
    const taken = await takeWithin(lender, name, killedMs);
    if (taken !== null) return { lease: taken, wasKilled };
    throw new YoiError(
      "pod_held",
      `The Pod ${name} does not end, so its loan stays open: ${first.error.message}`,
      { cause: first.error },
    );
  };
}

/** Metadata that cannot be read says of no children. */
async function patienceFor({ pods }: Pick<Lender, "pods">, name: PodName): Promise<number> {
  const record = await pods.read(name).catch(() => null);
  return record === null || record.children.length === 0 ? orderlyEndMs : orderlyEndAboveMs;
}

async function askToEnd(host: ChildHost, name: PodName): Promise<void> {
  const pod = await host.reach(name, "user");
  try {
    await pod.call("shutdown", {});
  } finally {
    pod.close();
  }
}

async function takeWithin(
  lender: Pick<Lender, "lease" | "ports">,
  name: PodName,
  waitMs: number,
): Promise<HeldLease | null> {
  const { clock, timers } = lender.ports;
  const untilMs = clock.monotonic() + waitMs;
  for (;;) {
    const tried = await tryAcquire(lender.lease, name, purpose);
    if (!("error" in tried)) return tried.lease;
    if (clock.monotonic() >= untilMs) return null;
    await timers.sleep(lookEveryMs);
  }
}
