/** What a Pod that opens takes in the registry, under its lease, before anything of it can write; and how it gives that back. */
import { type PodName, type Scope, YoiError } from "@yoi/base";
import type { Processes } from "@yoi/host";
import { heldAlone, type LiveScope } from "@yoi/scope";
import type { Allocation, Registry } from "@yoi/scope/registry";
import type { Lent } from "./lent-to.ts";

export interface Newcomer {
  readonly name: PodName;
  /** Null: it takes no clients. */
  readonly socket: string | null;
  readonly registry: Registry;
  readonly ports: { readonly processes: Processes };
}

export interface Allocated {
  /** When the Pod's log and metadata are there. */
  moved(log: { readonly segment: string; readonly epoch: number }): Promise<void>;
  release(): Promise<void>;
}

/** Throws scope_conflict where another Pod could write what this one could. `lent`: of a child, its parent's loan. */
export async function allocate(
  { name, socket, registry, ports }: Newcomer,
  scope: LiveScope,
  lent: Lent | null,
): Promise<Allocated> {
  const allocation = allocationOf({ name, socket, ports }, scope.ceiling, lent);
  if (lent === null) await registry.register(allocation);
  else await registry.adopt(lent.lender, allocation, lent.loan);
  return {
    moved: ({ segment, epoch }) => registry.moved({ ...allocation, segment, epoch }),
    release: () => registry.release(name).catch(passOver),
  };
}

/** What it would take. Where it writes with others by the user's word, it takes nothing. */
export function allocationOf(
  { name, socket, ports }: Omit<Newcomer, "registry">,
  ceiling: Scope,
  lent: Lent | null,
): Allocation {
  const row = { name, owner: ports.processes.self(), socket, segment: null, epoch: null };
  return lent === null
    ? { ...row, scope: heldAlone(ceiling), delegatedFrom: null, loan: null }
    : { ...row, scope: lent.loan.scope, delegatedFrom: lent.lender, loan: lent.loan.id };
}

/** A row that cannot be taken away now counts no more once this process is gone: no reason to say that the Pod was not closed in order. */
function passOver(error: unknown): void {
  if (!(error instanceof YoiError) || error.kind !== "unavailable") throw error;
}
