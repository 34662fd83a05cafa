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
  /** Throws scope_conflict where `hold` would now. */
  check(ceiling: Scope): Promise<void>;
  /** The row of a Pod without parent says this from now on. Throws scope_conflict, and then it says what it did. */
  hold(ceiling: Scope): Promise<void>;
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
  let allocation = allocationOf({ name, socket, ports }, scope.ceiling, lent);
  if (lent === null) await registry.register(allocation);
  else await registry.adopt(lent.lender, allocation, lent.loan);
  return {
    check: (ceiling) => registry.check({ ...allocation, scope: heldAlone(ceiling) }),
    hold: async (ceiling) => {
      const wider = { ...allocation, scope: heldAlone(ceiling) };
      await registry.register(wider);
      allocation = { ...allocation, scope: wider.scope };
    },
    moved: async ({ segment, epoch }) => {
      allocation = { ...allocation, segment, epoch };
      await registry.moved(allocation);
    },
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
