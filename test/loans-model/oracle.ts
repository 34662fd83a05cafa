/** What holds of a tree of Pods at every moment, and what holds whenever nothing goes on; found out path by path, without the algebra of scopes. */
import assert from "node:assert/strict";
import type { Loan, PodName, Scope, ScopeRule } from "@yoi/base";
import type { ChildRecord, PodRecord } from "@yoi/pod-store";
import type { SimulatedTree, TreePod } from "../support/simulated-tree.ts";
import { probes } from "./commands.ts";

/** As the documents say it; the programs have numbers of their own. */
const childrenMax = 16;
const depthMax = 4;

function covers({ target, recursive }: ScopeRule, path: string): boolean {
  if (path === target) return true;
  if (!path.startsWith(target === "/" ? "/" : `${target}/`)) return false;
  return recursive || path.lastIndexOf("/") === target.length;
}

/** A deny of either kind takes writing away. */
function writes({ allow, deny }: Scope, path: string): boolean {
  return (
    allow.some((rule) => rule.permission === "write" && covers(rule, path)) &&
    !deny.some((rule) => covers(rule, path))
  );
}

/** At every moment: nobody can write where another one can. */
export function assertOneWriter(live: readonly TreePod[]): void {
  for (const path of probes) {
    const writers = live.filter(({ scope }) => writes(scope.current, path)).map(({ name }) => name);
    assert.ok(writers.length <= 1, `${path} can be written by ${writers.join(" and ")}`);
  }
}

interface OpenLoan {
  readonly lender: PodRecord;
  readonly child: ChildRecord;
}

/** A loan that was on record, and how it was seen. */
interface SeenLoan {
  readonly lender: PodName;
  readonly session: string;
  readonly child: PodName;
  isLive: boolean;
}

export class Oracle {
  readonly #tree: SimulatedTree;
  readonly #seen = new Map<Loan["id"], SeenLoan>();

  constructor(tree: SimulatedTree) {
    this.#tree = tree;
  }

  /** While commands go on. */
  moment(): void {
    assertOneWriter(this.#tree.live);
  }

  /** When nothing goes on. */
  async quiet(): Promise<void> {
    const tree = this.#tree;
    this.moment();
    const records = await this.#records();
    const loans = records.flatMap((lender) => lender.children.map((child) => ({ lender, child })));
    this.#see(records);
    assertDistinct(loans);
    for (const record of records) assertBudget(record, records);
    for (const pod of tree.live) assertHolds(pod, loans, records);
    await this.#assertLeases();
    await this.#assertMirror(records, loans);
    for (const record of records) await this.#assertTold(record, loans);
  }

  /** Loans that are on record now, also in the middle of a command that was cut. */
  async look(): Promise<void> {
    this.#see(await this.#records());
  }

  async #records(): Promise<readonly PodRecord[]> {
    return (await this.#tree.pods.list()).map((listing) => {
      assert.ok("record" in listing, `the metadata of ${listing.name} is damaged`);
      return listing.record;
    });
  }

  #see(records: readonly PodRecord[]): void {
    for (const { name: lender, pointer, children, reclaimed } of records) {
      for (const child of [...children, ...reclaimed]) {
        const before = this.#seen.get(child.loan.id);
        const seen = { lender, session: pointer.session, child: child.name };
        const isLive = before?.isLive === true || ("state" in child && child.state === "live");
        this.#seen.set(child.loan.id, { ...seen, isLive });
        assert.deepEqual(
          { ...seen, ...before, isLive },
          { ...seen, isLive },
          `the loan ${child.loan.id} went from hand to hand`,
        );
      }
    }
  }

  /** Nobody keeps a lease but of the Pod that it is. */
  async #assertLeases(): Promise<void> {
    for (const name of this.#tree.leases.keys()) {
      const hint = await this.#tree.lease.owner(name);
      if (hint?.alive !== true) continue;
      assert.equal(
        this.#tree.find(name)?.process.identity.pid,
        hint.owner.pid,
        `the lease of ${name} is kept by process ${hint.owner.pid}, for ${hint.owner.purpose}`,
      );
    }
  }

  /** The registry says what metadata and leases say. */
  async #assertMirror(records: readonly PodRecord[], loans: readonly OpenLoan[]): Promise<void> {
    const loanTo = (name: PodName): OpenLoan | undefined =>
      loans.find(({ child }) => child.name === name && isThisChild(child, records));
    const counts = (name: PodName): boolean => {
      if (this.#tree.find(name) !== null) return true;
      const lent = loanTo(name);
      return lent !== undefined && counts(lent.lender.name);
    };
    const names = new Set([...records.map(({ name }) => name), ...loans.map(({ child }) => child.name)]);
    const expected = [...names]
      .filter(counts)
      .map((name) => {
        const lent = loanTo(name);
        return [name, lent?.lender.name ?? null, lent?.child.loan.id ?? null];
      })
      .toSorted();
    const rows = await this.#tree.registry.list();
    assert.deepEqual(
      rows.map(({ name, delegatedFrom, loan }) => [name, delegatedFrom, loan]).toSorted(),
      expected,
      "the registry differs from metadata and leases",
    );
  }

  /** Of every loan of a lender that is not open any more: as many notices as came back. Counted by what they say, not by their names. */
  async #assertTold({ name, pointer }: PodRecord, open: readonly OpenLoan[]): Promise<void> {
    const seen = [...this.#seen].filter(([, loan]) => loan.session === pointer.session);
    if (seen.length === 0 || pointer.state !== "active") return;
    const told = new Map<string, number>();
    for (const entry of (await this.#tree.log(name)).entries) {
      if (entry.kind !== "inbox_accepted" || !("item" in entry)) continue;
      const child = /^The child (\S+) .*, and its loan came back\./.exec(entry.item.body)?.[1];
      if (child !== undefined) told.set(child, (told.get(child) ?? 0) + 1);
    }
    for (const child of new Set([...seen.map(([, loan]) => loan.child), ...told.keys()])) {
      const loans = seen.filter(([, loan]) => loan.child === child);
      const isOpen = (id: string): boolean => open.some((one) => one.child.loan.id === id);
      const back = loans.filter(([id]) => !isOpen(id));
      // One that never began is told by the call that asked for it, or, where that was cut, by a notice.
      const least = back.filter(([, { isLive }]) => isLive).length;
      // A lender that died between its notice and its metadata leaves the rest to its next owner; who opens the child before that has its loan on.
      const mayBeCut = this.#tree.find(name) === null || this.#tree.find(child) !== null;
      const most = mayBeCut ? loans.length : back.length;
      const notices = told.get(child) ?? 0;
      assert.ok(
        notices >= least && notices <= most,
        `${name} was told ${notices} times that a loan of ${child} came back; that is wanted ${least} to ${most} times`,
      );
    }
  }
}

function isThisChild(child: ChildRecord, records: readonly PodRecord[]): boolean {
  const stored = records.find(({ name }) => name === child.name);
  return stored === undefined || stored.pointer.session === child.session;
}

/** A loan has one lender, a child one loan, and no path is lent twice. */
function assertDistinct(loans: readonly OpenLoan[]): void {
  const ids = loans.map(({ child }) => child.loan.id);
  assert.equal(new Set(ids).size, ids.length, "a loan is open twice");
  const borrowers = loans.map(({ child }) => `${child.name} ${child.session}`);
  assert.equal(new Set(borrowers).size, borrowers.length, "a child has two open loans");
  for (const { lender, child } of loans) {
    for (const path of probes) {
      const lent = lender.children.filter(({ loan }) => writes(loan.scope, path));
      assert.ok(
        lent.length <= 1,
        `${lender.name} lent ${path} to ${lent.map(({ name }) => name).join(" and ")}`,
      );
    }
    assert.ok(
      !lender.reclaimed.some(({ name }) => name === child.name),
      `the loan of ${child.name} is open and came back`,
    );
  }
}

function assertBudget(record: PodRecord, records: readonly PodRecord[]): void {
  assert.ok(record.children.length <= childrenMax, `${record.name} has ${record.children.length} children`);
  const depth = record.parent?.depth ?? 0;
  assert.ok(depth <= depthMax, `${record.name} is ${depth} levels deep`);
  const parent = records.find(({ name }) => name === record.parent?.pod);
  if (parent !== undefined && parent.pointer.session === record.parent?.session)
    assert.equal(depth, (parent.parent?.depth ?? 0) + 1);
}

/** What a Pod that lives holds: what it was lent, or its own, less what it lends; every path of it exactly once. */
function assertHolds(pod: TreePod, loans: readonly OpenLoan[], records: readonly PodRecord[]): void {
  const { name, scope, pod: open } = pod;
  const lent = loans.filter(({ lender }) => lender.name === name);
  for (const path of probes) {
    const isLent = lent.some(({ child }) => writes(child.loan.scope, path));
    assert.ok(!isLent || writes(scope.ceiling, path), `${name} lends ${path}, which is not its own`);
    assert.equal(
      writes(scope.current, path),
      writes(scope.ceiling, path) && !isLent,
      `${name} ${isLent ? "writes what it lends" : "lost what it does not lend"}: ${path}`,
    );
  }
  const { session } = open.snapshot;
  const mine = loans.find(({ child }) => child.name === name && child.session === session);
  const link = records.find((record) => record.name === name)?.parent;
  const parent = records.find((record) => record.name === link?.pod);
  const isChild = parent !== undefined && parent.pointer.session === link?.session;
  assert.equal(mine !== undefined, isChild, `${name} lives ${isChild ? "without" : "on"} a loan`);
  if (mine !== undefined)
    assert.deepEqual(scope.ceiling, mine.child.loan.scope, `${name} holds another loan than its own`);
}
