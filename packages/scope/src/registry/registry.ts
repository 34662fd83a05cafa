/** Registry: who may write where among all Pods of one data directory, as rows. A mirror: lost, it is made again from leases and metadata. */
import type { Loan, PodName, Scope } from "@yoi/base";
import type { ProcessIdentity } from "@yoi/host";

/** What one Pod holds. */
export interface Allocation {
  readonly name: PodName;
  /** The process that holds it; of a child that is being made, its lender's. Null: on loan, and nobody runs it. */
  readonly owner: ProcessIdentity | null;
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

/** A child's row without what the loan says: its scope is the loan's. */
export type ChildAllocation = Omit<Allocation, "scope" | "delegatedFrom" | "loan">;

/**
 * Verbs of one row or of one tree; each is one transaction, and the same whether the registry was there or had to be made again. A row counts while its
 * process lives or somebody living holds its Pod's lease, or while it is on loan from one that counts. Rows that do not count are swept by that evidence,
 * never because time went by. Every verb throws io_failed or disk_full where the file cannot be used.
 */
export interface Registry {
  /**
   * Under the Pod's lease: what an owner holds from now on, in place of the row of an earlier owner. Where another Pod that neither lent nor borrowed from it
   * could write the same path, it throws scope_conflict, naming that Pod, the path and the ways out.
   */
  register(allocation: Allocation): Promise<void>;
  /** Throws scope_conflict where `register` would now, or `adopt` of what is lent. Needs no lease, promises nothing, writes nothing. */
  check(allocation: Allocation): Promise<void>;
  /**
   * Under the lender's lease: a row for the child, lent from the lender's row. Throws scope_conflict where another child of the lender, or a Pod of another tree,
   * could write there, pod_exists where the name has a row that counts, loan_refused where it is more than the lender holds, its other loans taken out.
   */
  delegate(lender: PodName, child: ChildAllocation, loan: Loan): Promise<void>;
  /**
   * Under the child's lease: its process takes the row that is lent to it, which is made again where it is missing. Throws loan_missing where the row is of
   * another loan and the lender's metadata does not know this one, and scope_conflict as `register` does.
   */
  adopt(lender: PodName, child: ChildAllocation, loan: Loan): Promise<void>;
  /** Under the Pod's lease, when its metadata and log are there: where the log is now. Judged as by `register` again where the row was lost since. */
  moved(allocation: Allocation): Promise<void>;
  /**
   * Under the leases of the child and of all below it: its row goes with all rows below. Idempotent, and no error where the row is gone already. Throws pod_held
   * where one of them has a process all the same that lives and is not its lender's: leases and metadata may have been lost, and that one writes on.
   */
  reclaim(lender: PodName, child: PodName, loan: string): Promise<void>;
  /** Under the Pod's lease, in order: its row goes; that of a child stays on loan, as of nobody who runs. Idempotent. */
  release(name: PodName): Promise<void>;
  /** By name, as they stand: rows that do not count are left out. Writes nothing. */
  list(): Promise<readonly Allocation[]>;
  close(): void;
}
