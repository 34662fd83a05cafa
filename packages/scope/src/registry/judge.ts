/** Which rows count, who is kin to whom, and who could write where another could: decided over rows and evidence alone. */
import type { PodName } from "@yoi/base";
import { isSubset, sharedWrite } from "../algebra.ts";
import { writeRules } from "../loans.ts";
import { permissionAt } from "../permission.ts";
import type { Allocation } from "./registry.ts";

/** What is asked about a row. Answers that take time are asked for first and the question is put again. */
export interface Evidence {
  /** Its process lives, or somebody living holds its Pod's lease. */
  lives(row: Allocation): boolean;
  /** The lender's metadata says that the loan of the row is open. */
  isLent(row: Allocation): boolean;
}

export interface Conflict {
  readonly owner: Allocation;
  /** A process of its own runs it. */
  readonly runs: boolean;
  /** One that both could write. */
  readonly path: string;
  /** With whose end it is free: of what is lent, that of the first lender who counts. */
  readonly held: PodName;
  /** The newcomer could write elsewhere too. */
  readonly leavesRoom: boolean;
}

export class Judge {
  readonly #rows: ReadonlyMap<PodName, Allocation>;
  readonly #evidence: Evidence;
  readonly #counts = new Map<PodName, boolean>();

  constructor(rows: Iterable<Allocation>, evidence: Evidence) {
    // Whatever they were read from, the same of several is named.
    const sorted = [...rows].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    this.#rows = new Map(sorted.map((row) => [row.name, row]));
    this.#evidence = evidence;
  }

  row(name: PodName): Allocation | null {
    return this.#rows.get(name) ?? null;
  }

  /** By name. */
  rows(): readonly Allocation[] {
    return [...this.#rows.values()];
  }

  /** Rows that nothing speaks for: they do not count, and are on loan from nobody who could come back. */
  swept(): readonly Allocation[] {
    return [...this.#rows.values()].filter((row) => !this.counts(row) && !this.#evidence.isLent(row));
  }

  counts(row: Allocation): boolean {
    const known = this.#counts.get(row.name);
    if (known !== undefined) return known;
    // A chain of loans that leads back to itself holds nothing up.
    this.#counts.set(row.name, false);
    const lender = row.delegatedFrom === null ? undefined : this.#rows.get(row.delegatedFrom);
    const counts =
      this.#evidence.lives(row) ||
      (lender !== undefined && this.counts(lender) && this.#evidence.isLent(row));
    this.#counts.set(row.name, counts);
    return counts;
  }

  /** The children of a lender whose rows count. */
  childrenOf(lender: PodName): readonly Allocation[] {
    return [...this.#rows.values()].filter((row) => row.delegatedFrom === lender && this.counts(row));
  }

  /** All rows below one, whatever speaks for them. */
  below(name: PodName): readonly Allocation[] {
    const found = new Set<Allocation>();
    const names: PodName[] = [name];
    for (let lender = names.pop(); lender !== undefined; lender = names.pop()) {
      for (const row of this.#rows.values()) {
        if (row.delegatedFrom !== lender || row.name === name || found.has(row)) continue;
        found.add(row);
        names.push(row.name);
      }
    }
    return [...found];
  }

  /**
   * Who, not kin in its own line, could write where the newcomer could. What nobody has on loan is named before what somebody has; of a path that is lent, the
   * one that may write it now: the last in the line of loans.
   */
  conflict(newcomer: Allocation): Conflict | null {
    const conflicts: Conflict[] = [];
    for (const owner of this.#rows.values()) {
      if (owner.name === newcomer.name) continue;
      const path = sharedWrite(owner.scope, newcomer.scope);
      if (path === null || !this.counts(owner) || this.#isKin(owner, newcomer)) continue;
      const { allow, deny } = newcomer.scope;
      const leavesRoom = !isSubset({ allow: writeRules({ allow, deny }), deny }, owner.scope);
      conflicts.push({ owner, path, runs: this.#runs(owner), held: this.#topOf(owner), leavesRoom });
    }
    const first = conflicts.find(({ owner }) => owner.delegatedFrom === null) ?? conflicts[0];
    return first === undefined ? null : this.#borrower(first, conflicts);
  }

  /** Of the path of a conflict: the row that it is lent to at the end, or the one that has it. */
  #borrower(conflict: Conflict, conflicts: readonly Conflict[]): Conflict {
    const { path } = conflict;
    const seen = new Set<Allocation>();
    for (let at = conflict; ;) {
      seen.add(at.owner);
      const lender = at.owner.name;
      const next = conflicts.find(
        ({ owner }) =>
          owner.delegatedFrom === lender && !seen.has(owner) && permissionAt(owner.scope, path) === "write",
      );
      if (next === undefined) return { ...at, path, leavesRoom: conflict.leavesRoom };
      at = next;
    }
  }

  #topOf(row: Allocation): PodName {
    const seen = new Set<PodName>();
    for (let at = row; ;) {
      seen.add(at.name);
      const lender = at.delegatedFrom === null ? undefined : this.#rows.get(at.delegatedFrom);
      if (lender === undefined || seen.has(lender.name) || !this.counts(lender)) return at.name;
      at = lender;
    }
  }

  /** Of a child that is being made the process is its lender's. */
  #runs(row: Allocation): boolean {
    const lender = row.delegatedFrom === null ? undefined : this.#rows.get(row.delegatedFrom);
    const isBorrowed = lender?.owner?.pid === row.owner?.pid;
    return row.owner !== null && !isBorrowed && this.#evidence.lives(row);
  }

  #isKin(row: Allocation, newcomer: Allocation): boolean {
    return (
      row.name === newcomer.delegatedFrom ||
      this.#borrowsFrom(row, newcomer.name) ||
      (newcomer.delegatedFrom !== null && this.#isAbove(row.name, newcomer.delegatedFrom))
    );
  }

  /** Whether the loans that lead up from `below` come to `name`. */
  #isAbove(name: PodName, below: PodName): boolean {
    const row = this.#rows.get(below);
    return row !== undefined && this.#borrowsFrom(row, name);
  }

  /** It is run by a process of its own, that of a Pod or one that holds its lease as it. */
  isAtWork(row: Allocation): boolean {
    return !this.#isBeingMade(row) && this.#evidence.lives(row);
  }

  /** Of a child that nothing is done about now: its lender's process put it, could not take it away, and has it not on record. */
  isLeftOver(row: Allocation): boolean {
    return this.#isBeingMade(row) && !this.#evidence.isLent(row);
  }

  /** The lender's own process has put the row, and its metadata does not say so yet. */
  #isBeingMade({ delegatedFrom, owner }: Allocation): boolean {
    const lender = delegatedFrom === null ? undefined : this.#rows.get(delegatedFrom);
    if (lender === undefined || owner === null || lender.owner === null) return false;
    const { pid, started, boot } = lender.owner;
    const isSame = owner.pid === pid && owner.started === started && owner.boot === boot;
    return isSame && this.#evidence.lives(lender);
  }

  #borrowsFrom(row: Allocation, lender: PodName): boolean {
    const seen = new Set<Allocation>();
    for (let at: Allocation | undefined = row; at !== undefined && !seen.has(at);) {
      seen.add(at);
      const { delegatedFrom } = at;
      // A Pod that has the name of the lender now, and lent nothing, is no kin.
      if (delegatedFrom === null) return false;
      if (!this.#isBeingMade(at) && !this.#evidence.isLent(at)) return false;
      if (delegatedFrom === lender) return true;
      at = this.#rows.get(delegatedFrom);
    }
    return false;
  }
}
