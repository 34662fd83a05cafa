/** The registry on a machine, in one SQLite database: each verb is judged and written in one transaction. */
import type { DatabaseSync } from "node:sqlite";
import { type Loan, type PodName, YoiError } from "@yoi/base";
import type { Processes } from "@yoi/host";
import { isSubset } from "../algebra.ts";
import { effectiveScope } from "../loans.ts";
import { conflictError, lendConflictError } from "./conflict.ts";
import { type Evidence, Judge } from "./judge.ts";
import { openRegistryFile, type RegistryFileOptions } from "./registry-file.ts";
import type { Allocation, ChildAllocation, Registry } from "./registry.ts";
import { createTable, dropRow, putRow, readRows } from "./rows.ts";

export interface RegistryOptions extends RegistryFileOptions {
  readonly processes: Processes;
  /** Whether a living process is the Pod, under its lease; not one that holds the lease to begin or end it. */
  readonly isHeld: (name: PodName) => Promise<boolean>;
  /** Whether the lender's metadata says that the loan to the child is open; true where it cannot be read: what is unknown stays lent. */
  readonly isLent: (lender: PodName, child: PodName, loan: string) => Promise<boolean>;
  /** Living processes that are Pods and have been for long enough to have put their rows. */
  readonly holders: () => Promise<readonly Holder[]>;
  /** What leases and metadata say is held now: for a registry that was lost. */
  readonly rebuild: () => Promise<readonly Allocation[]>;
}

export type Holder = Pick<Allocation, "name" | "owner">;

/** What a verb makes of the rows. */
interface Change {
  readonly put?: readonly Allocation[];
  readonly drop?: readonly Allocation[];
}

/** Answers that were waited for are asked again this often at most in one verb; every time some row was another's meanwhile. */
const roundsMax = 64;

export function openRegistry(options: RegistryOptions): Registry {
  const file = openRegistryFile(options);
  let last: Promise<unknown> = Promise.resolve();

  /** One verb of this process after the other. */
  function inTurn<T>(verb: () => Promise<T>): Promise<T> {
    const next = last.then(verb);
    last = next.catch(() => {});
    return next;
  }

  /** Judges until nothing is asked that is not known: a verb that was judged on a guess has changed nothing. */
  async function judged<T>(
    step: (inquiry: Inquiry) => Promise<T>,
    holders: readonly Holder[] = [],
  ): Promise<T> {
    const inquiry = new Inquiry(options, holders);
    for (let round = 0; round < roundsMax; round += 1) {
      try {
        return await step(inquiry);
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        await inquiry.ask();
      }
    }
    throw new YoiError(
      "io_failed",
      `The registry ${options.path} changed ${roundsMax} times while it was looked at: try again.`,
    );
  }

  /** Of one Pod's own row: whoever else has one is not asked. */
  async function changeOwn(
    verb: (judge: Judge, inquiry: Inquiry) => Change,
    transaction: (work: (database: DatabaseSync) => void) => Promise<void | null> = file.write,
  ): Promise<void> {
    await inTurn(() => judged((inquiry) => transaction((database) => apply(database, inquiry, verb))));
  }

  function change(verb: (judge: Judge, inquiry: Inquiry) => Change): Promise<void> {
    return inTurn(async () => {
      const holders = await options.holders();
      return judged((inquiry) => file.write((database) => apply(database, inquiry, verb)), holders);
    });
  }

  /** Writes nothing. */
  function look<T>(verb: (judge: Judge) => T): Promise<T> {
    return inTurn(() =>
      judged(async (inquiry) => {
        const stored = await file.inExisting(readRows);
        const judge = inquiry.judge(stored ?? inquiry.rebuilt());
        const seen = inquiry.known(() => verb(judge));
        inquiry.settle();
        return seen;
      }),
    );
  }

  return {
    register: (allocation) => change((judge) => place(judge, allocation)),
    moved: (allocation) =>
      changeOwn((judge) => {
        const row = judge.row(allocation.name);
        const known =
          row !== null && JSON.stringify({ ...row, ...logOf(allocation) }) === JSON.stringify(allocation);
        return known ? { put: [allocation] } : place(judge, allocation);
      }),
    delegate: (lender, child, loan) =>
      change((judge, inquiry) => {
        // A lender's row cannot be missing where it opened by the rules: then the file is another than it was.
        const row = judge.row(lender) ?? inquiry.rebuilt().find(({ name }) => name === lender);
        return lend(judge, row ?? null, childRow(lender, child, loan), loan);
      }),
    adopt: (lender, child, loan) =>
      change((judge, inquiry) => {
        const row = childRow(lender, child, loan);
        const stored = judge.row(child.name);
        if (stored !== null && stored.loan !== loan.id && !inquiry.isLent(row)) throw loanMissing(row);
        return place(judge, row);
      }),
    reclaim: (lender, child, loan) =>
      change((judge) => {
        const row = judge.row(child);
        if (row === null || row.delegatedFrom !== lender || row.loan !== loan) return {};
        const tree = [row, ...judge.below(child)];
        const live = tree.find((one) => judge.isAtWork(one));
        if (live !== undefined) throw stillAtWork(live, lender);
        return { drop: tree };
      }),
    // With no file there is nothing to give back: its directory may have been moved away, and nothing is made where it was.
    release: (name) =>
      changeOwn((judge) => {
        const row = judge.row(name);
        if (row === null) return {};
        return row.delegatedFrom === null
          ? { drop: [row] }
          : { put: [{ ...row, owner: null, socket: null }] };
      }, file.inExisting),
    check: (allocation) => look((judge) => void place(judge, allocation)),
    list: () => look((judge) => judge.rows().filter((row) => judge.counts(row))),
    close: file.close,
  };
}

/** One transaction: rows read, judged and written; Unanswered undoes it. */
function apply(
  database: DatabaseSync,
  inquiry: Inquiry,
  verb: (judge: Judge, inquiry: Inquiry) => Change,
): void {
  const stored = readRows(database);
  const isWhole = stored !== null && inquiry.isWhole(stored);
  const judge = inquiry.judge(isWhole ? stored : inquiry.madeAgain(stored ?? []));
  const { put = [], drop = [] } = inquiry.known(() => verb(judge, inquiry));
  const gone = judge.swept();
  inquiry.settle();
  if (stored === null) createTable(database);
  if (!isWhole) for (const row of judge.rows()) putRow(database, row);
  for (const row of [...gone, ...drop]) dropRow(database, row.name);
  for (const row of put) putRow(database, row);
}

function place(judge: Judge, newcomer: Allocation): Change {
  const conflict = judge.conflict(newcomer);
  if (conflict !== null) throw conflictError(conflict);
  return { put: [newcomer] };
}

function lend(judge: Judge, lender: Allocation | null, child: Allocation, loan: Loan): Change {
  if (lender === null || child.delegatedFrom === null)
    throw new YoiError(
      "registry_damaged",
      `The registry does not know the lender of ${child.name}: open that Pod again.`,
    );
  const stored = judge.row(child.name);
  if (stored !== null && stored.loan !== loan.id && judge.counts(stored) && !judge.isLeftOver(stored))
    throw new YoiError(
      "pod_exists",
      `A Pod named ${child.name} is at work already: end it first (\`yoi pod stop ${child.name}\`), or give a new child another name.`,
    );
  const conflict = judge.conflict(child);
  if (conflict !== null) throw lendConflictError(lender.name, conflict);
  const others = judge.childrenOf(lender.name).filter(({ name }) => name !== child.name);
  const left = effectiveScope(
    lender.scope,
    others.map(({ name, scope }) => ({ id: name, scope })),
  );
  if (!isSubset(loan.scope, left)) {
    throw new YoiError(
      "loan_refused",
      `What was to be lent to ${child.name} is more than the Pod ${lender.name} holds now: lend only what it may touch itself and has not lent to another child.`,
    );
  }
  return { put: [child] };
}

function childRow(lender: PodName, child: ChildAllocation, loan: Loan): Allocation {
  const { name, owner, socket, segment, epoch } = child;
  return { name, owner, socket, scope: loan.scope, delegatedFrom: lender, loan: loan.id, segment, epoch };
}

function logOf({ segment, epoch }: Allocation): Pick<Allocation, "segment" | "epoch"> {
  return { segment, epoch };
}

function loanMissing({ name, delegatedFrom }: Allocation): YoiError {
  return new YoiError(
    "loan_missing",
    `What the Pod ${delegatedFrom} lent to ${name} was taken back: \`yoi pod restore ${name}\` asks it for a new loan while it is live.`,
  );
}

function stillAtWork({ name, owner }: Allocation, lender: PodName): YoiError {
  const process = owner === null ? "" : `: end its process (\`kill ${owner.pid}\`)`;
  return new YoiError(
    "pod_held",
    `The Pod ${name} still works on what ${lender} lent, though its lease can be taken${process}.`,
  );
}

function isSameProcess(a: Allocation["owner"], b: Allocation["owner"]): boolean {
  return a !== null && b !== null && a.pid === b.pid && a.started === b.started && a.boot === b.boot;
}

/** Thrown inside a transaction that cannot be judged yet. */
class Unanswered extends Error {}

/** What one verb has to know beside the rows, and what of it is known so far. */
class Inquiry implements Evidence {
  readonly #options: RegistryOptions;
  readonly #held = new Map<string, boolean>();
  readonly #lent = new Map<string, boolean>();
  #rebuilt: readonly Allocation[] | null = null;
  readonly #holders: readonly Holder[];
  readonly #questions: (() => Promise<void>)[] = [];

  constructor(options: RegistryOptions, holders: readonly Holder[]) {
    this.#options = options;
    this.#holders = holders;
  }

  judge(rows: readonly Allocation[]): Judge {
    return new Judge(rows, this);
  }

  /** Until it is known, it counts and stays lent. Known of exactly this row: another owner's is another question. */
  lives({ name, owner }: Allocation): boolean {
    const { processes, isHeld } = this.#options;
    if (owner !== null && processes.isAlive(owner)) return true;
    const key = JSON.stringify([name, owner]);
    return this.#known(this.#held, key, () => isHeld(name));
  }

  isLent({ name, delegatedFrom, loan }: Allocation): boolean {
    if (delegatedFrom === null || loan === null) return false;
    const key = JSON.stringify([delegatedFrom, name, loan]);
    return this.#known(this.#lent, key, () => this.#options.isLent(delegatedFrom, name, loan));
  }

  /** Every living Pod has put its row into this very file: it is no older copy, put in the place of the one that was. True where nobody was looked for. */
  isWhole(stored: readonly Allocation[]): boolean {
    return this.#holders.every((holder) =>
      stored.some((row) => row.name === holder.name && isSameProcess(row.owner, holder.owner)),
    );
  }

  /** What is held now; of a process that lives, what it put itself. */
  madeAgain(stored: readonly Allocation[]): readonly Allocation[] {
    const rows = new Map(this.rebuilt().map((row) => [row.name, row]));
    for (const row of stored) {
      const isItsOwn = row.owner !== null && this.#options.processes.isAlive(row.owner);
      if (isItsOwn || !rows.has(row.name)) rows.set(row.name, row);
    }
    return [...rows.values()];
  }

  /** Throws Unanswered the first time. */
  rebuilt(): readonly Allocation[] {
    if (this.#rebuilt !== null) return this.#rebuilt;
    this.#questions.push(async () => void (this.#rebuilt = await this.#options.rebuild()));
    throw new Unanswered();
  }

  /** A refusal on a guess is none. */
  known<T>(decide: () => T): T {
    try {
      return decide();
    } catch (error) {
      this.settle();
      throw error;
    }
  }

  /** Throws Unanswered where something was asked that is not known. */
  settle(): void {
    if (this.#questions.length > 0) throw new Unanswered();
  }

  async ask(): Promise<void> {
    await Promise.all(this.#questions.splice(0).map((question) => question()));
  }

  #known(answers: Map<string, boolean>, key: string, question: () => Promise<boolean>): boolean {
    const known = answers.get(key);
    if (known !== undefined) return known;
    this.#questions.push(async () => void answers.set(key, await question()));
    return true;
  }
}
