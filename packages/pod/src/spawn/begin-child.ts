/** Beginning a child on a loan: durable intent first, then the child; and all of it taken back where it fails. */
import { messageOf, type PodName, YoiError } from "@yoi/base";
import type { ChildRecord, ReclaimReason } from "@yoi/pod-store";
import type { ChildHost } from "./child-host.ts";
import { takeByEnding } from "./end-child.ts";
import { find, holdTree } from "./hold-tree.ts";
import type { Lender } from "./lender.ts";
import { assertHeld, type NewLoan } from "./loan.ts";
import { removeChild, settle } from "./reclaim.ts";

export interface Beginning {
  readonly host: ChildHost;
  /** As it is on record while it starts. */
  readonly child: ChildRecord;
  /** Of its loan. */
  readonly targets: NewLoan["targets"];
  /** Throws where the name is not what it was taken for any more. Under the child's lease, before anything is withdrawn. */
  readonly confirm: () => Promise<void>;
  /** Makes what the child's process opens. */
  readonly prepare: () => Promise<void>;
  /** What is kept of a beginning that failed. Null: nothing, not even the child's metadata. */
  readonly keeps: ReclaimReason | null;
  readonly signal: AbortSignal;
}

export interface Begun {
  readonly name: PodName;
  readonly socket: string;
  /** Sentences about its start, for the user. */
  readonly warnings: readonly string[];
}

/**
 * Withdraws what is lent, puts the loan on record, starts the child. Resolves when the child takes clients. What fails behind the lend ends the child, takes
 * the loan back, and is thrown; where the child does not end, the loan stays open, and the sentence says so.
 */
export async function beginOnLoan(lender: Lender, beginning: Beginning): Promise<Begun> {
  await lendTo(lender, beginning);
  const { host, child, targets, signal } = beginning;
  try {
    signal.throwIfAborted();
    targets.confirmTargets();
    const { socket, warnings } = await host.start(child.name, signal);
    signal.throwIfAborted();
    await lender.record.putChild({ ...child, state: "live", socket });
    return { name: child.name, socket, warnings };
  } catch (error) {
    await endAndTakeBack(lender, beginning).catch((failure: unknown) => {
      throw stillLent(child, error, failure);
    });
    throw error;
  }
}

/** Under the child's lease: nobody can be it before all of this is on record. */
async function lendTo(lender: Lender, beginning: Beginning): Promise<void> {
  const { child, targets, confirm, prepare, signal } = beginning;
  const { name, loan } = child;
  const { processes, timers } = lender.ports;
  const lease = await lender.lease.acquire(name, "spawn");
  try {
    await confirm();
    assertHeld(lender, loan);
    await lender.scope.lend(loan, { timers, signal });
    try {
      await targets.confirm();
      const row = { name, owner: processes.self(), socket: child.socket, segment: null, epoch: null };
      await lender.registry.delegate(lender.name, row, loan);
      signal.throwIfAborted();
      await lender.record.putChild(child);
      signal.throwIfAborted();
      await prepare();
    } catch (error) {
      await takeBack(lender, beginning).catch((failure: unknown) => {
        throw stillLent(child, error, failure);
      });
      throw error;
    }
  } finally {
    await lease.release();
  }
}

async function endAndTakeBack(lender: Lender, beginning: Beginning): Promise<void> {
  await using held = new AsyncDisposableStack();
  const take = takeByEnding(lender, { asks: false });
  const { names } = await holdTree(lender, beginning.child, take, held);
  for (const name of names) await lender.endStrays(name);
  await takeBack(lender, beginning);
}

/** Under the child's lease, in the reverse order of the lend. */
async function takeBack(lender: Lender, { child, keeps }: Beginning): Promise<void> {
  const { children } = await lender.record.certain();
  const isOnRecord = children.some(({ loan }) => loan.id === child.loan.id);
  try {
    const found = await find(lender, child);
    if (keeps === null) await removeChild(lender, child, found);
    await lender.registry.reclaim(lender.name, child.name, child.loan.id);
    if (isOnRecord) await settle(lender, child, keeps ?? (found.state === "damaged" ? "not_started" : null));
  } finally {
    // Nobody was begun on it, and nobody after this process would find it.
    if (!isOnRecord) lender.scope.takeBack(child.loan.id);
  }
}

function stillLent(child: ChildRecord, error: unknown, failure: unknown): YoiError {
  return new YoiError(
    error instanceof YoiError ? error.code : "io_failed",
    `${messageOf(error)} And what was lent to ${child.name} is still lent: ${messageOf(failure)}`,
    { cause: new AggregateError([error, failure]) },
  );
}
