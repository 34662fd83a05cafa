/** Registry: who may write where among all Pods of one data directory, as live rows. A mirror: lost, it is made again from leases and metadata. */
import type { Loan, PodName, Scope } from "@yoi/base";
import type { ProcessIdentity } from "@yoi/host";

/** What one Pod holds. */
export interface Allocation {
  readonly name: PodName;
  /** The process that holds it, or for a child that does not run the last one, or the lender's. */
  readonly owner: ProcessIdentity;
  /** Where it takes clients: a hint. Null: nowhere. */
  readonly socket: string | null;
  /** Its ceiling: what it lends its children is not taken out. */
  readonly scope: Scope;
  /** Who lent it its scope, and by which loan; null: nobody. */
  readonly delegatedFrom: PodName | null;
  readonly loan: string | null;
  readonly segment: string | null;
  readonly epoch: number | null;
}

/**
 * Verbs of one row or of one tree; each is one transaction. A row counts while its process lives, or while it is on loan from one that counts. Rows that
 * do not count are swept by evidence (their process is gone and nobody holds their Pod's lease), never because time went by.
 */
export interface Registry {
  /**
   * Under the Pod's lease: what an owner holds from now on, in place of the row of an earlier owner. Where another Pod that is not of its own tree could write
   * the same path, it throws scope_conflict, naming that Pod.
   */
  register(allocation: Allocation): Promise<void>;
  /**
   * Under the lender's lease: a row for the child, lent from the lender's row. Throws scope_conflict where another child of the lender, or a Pod of another tree,
   * could write there, pod_exists where the name has a row that counts, loan_refused where it is more than the lender holds, its other loans taken out.
   */
  delegate(lender: PodName, child: Omit<Allocation, "delegatedFrom" | "loan">, loan: Loan): Promise<void>;
  /** Under the child's lease: its process takes the row that is lent to it. Throws loan_missing where the row is another loan's. A missing row is made again from `loan`. */
  adopt(lender: PodName, child: Omit<Allocation, "delegatedFrom" | "loan">, loan: Loan): Promise<void>;
  /** Where the owner's log is now. */
  moved(name: PodName, segment: string, epoch: number): Promise<void>;
  /** Under the leases of the child and of all below it: its row goes with all rows below. Idempotent, and no error where the row is gone already. */
  reclaim(lender: PodName, child: PodName, loan: string): Promise<void>;
  /** Under the Pod's lease, in order: its row goes; that of a child stays on loan, as of nobody who runs. Idempotent. */
  release(name: PodName): Promise<void>;
  /** By name, as they stand: rows that do not count are left out. */
  list(): Promise<readonly Allocation[]>;
  close(): void;
}
