/** A parent's day with children, cut at one of its calls to the disk, and what must hold when it is opened again. */
import assert from "node:assert/strict";
import { type LogEntry, podName } from "@yoi/base";
import { permissionAt } from "@yoi/scope";
import type { DiskCall } from "../support/simulated-process.ts";
import { aCall, aRequest, SimulatedTree, type TreePod, type TreeOptions } from "../support/simulated-tree.ts";

export interface CrashPoint {
  /** Of the parent's calls that change the disk, counted from its opening. */
  readonly nth: number;
  readonly moment: "before" | "after";
  /** Its children die in the same instant. */
  readonly alsoChildren: boolean;
}

const paths = ["/w/a/x", "/w/b/x", "/w/x"] as const;

/** What a parent does in the day that is cut: everything that changes a loan. */
async function day(tree: SimulatedTree, parent: TreePod): Promise<void> {
  const { manage } = parent;
  await manage.spawn(aRequest("kid", "/w/a"), aCall());
  await manage.spawn(aRequest("other", "/w/b"), aCall());
  await manage.stop("kid", aCall());
  await manage.restore("kid", aCall());
  tree.kill("other");
  await tree.host.timers.sleep(3_000);
  tree.behaviour.set("late", { start: "throws" });
  await manage.spawn(aRequest("late", "/w/c"), aCall()).catch(() => {});
  await parent.end();
}

/** @returns whether the day was cut: false once there are no more calls. */
export async function crashed(point: CrashPoint, options: TreeOptions = {}): Promise<boolean> {
  const tree = new SimulatedTree({ seed: point.nth, ...options });
  const first = await tree.open("parent");
  const base = first.process.diskCalls;
  first.process.killAt = ({ nth }: DiskCall) => (nth === base + point.nth ? point.moment : null);
  const over = { yet: false };
  const lived = day(tree, first).finally(() => (over.yet = true));
  lived.catch(() => {});
  while (!over.yet && !first.process.isDead) await step(tree);
  if (over.yet && !first.process.isDead) await lived;
  const isCut = !over.yet;
  tree.bury(first);
  if (point.alsoChildren) for (const { name } of tree.live) tree.kill(name);
  assertOneWriter(tree);
  const again = await tree.through(tree.open("parent"));
  await settled(tree);
  await assertAgrees(tree, again);
  await assertTasks(tree);
  // And everything comes back: nothing is leaked.
  await tree.through(again.end());
  assert.deepEqual(tree.live, [], "nobody of the tree is left");
  const last = await tree.open("parent");
  assert.deepEqual(last.scope.current, last.scope.ceiling);
  await assertToldOnce(tree);
  return isCut;
}

async function step(tree: SimulatedTree): Promise<void> {
  await tree.host.advance(25);
  assertOneWriter(tree);
}

async function settled(tree: SimulatedTree): Promise<void> {
  for (let n = 0; n < 8; n += 1) await step(tree);
}

/** Never two live Pods that could write the same path. */
function assertOneWriter(tree: SimulatedTree): void {
  for (const path of paths) {
    const writers = tree.live.filter(({ scope }) => permissionAt(scope.current, path) === "write");
    assert.ok(
      writers.length <= 1,
      `${path} can be written by ${writers.map(({ name }) => name).join(" and ")}`,
    );
  }
}

/** A loan is open exactly where its child lives; what is lent is what is on record; the mirror agrees. */
async function assertAgrees(tree: SimulatedTree, parent: TreePod): Promise<void> {
  const { children } = await tree.record("parent");
  const alive = tree.live.map(({ name }) => name).filter((name) => name !== "parent");
  assert.deepEqual(
    children.map(({ name }) => name),
    alive.toSorted(),
  );
  assert.deepEqual(
    parent.scope.loans.map(({ id }) => id).toSorted(),
    children.map(({ loan }) => loan.id).toSorted(),
  );
  for (const { name, loan } of children) assert.deepEqual(tree.find(name)?.scope.ceiling, loan.scope);
  const rows = await tree.registry.list();
  assert.deepEqual(
    rows.map(({ name, loan }) => [name, loan]),
    [...children.map(({ name, loan }) => [name, loan.id]), ["parent", null]].toSorted(),
  );
  for (const listing of await tree.pods.list())
    assert.ok("record" in listing, `the metadata of ${listing.name} is whole`);
}

/** Each child that is up was given its task, and none was twice. */
async function assertTasks(tree: SimulatedTree): Promise<void> {
  for (const listing of await tree.pods.list()) {
    if (listing.name === "parent" || !("record" in listing) || listing.record.pointer.state !== "active")
      continue;
    const { entries } = await tree.log(listing.name);
    const given = entries.filter(({ kind }) => kind === "user_input").length;
    const least = tree.find(listing.name) === null ? 0 : 1;
    assert.ok(least <= given && given <= 1, `${listing.name} was given its task ${given} times`);
  }
  const { children } = await tree.record("parent");
  assert.deepEqual(
    children.filter(({ task }) => task !== undefined),
    [],
    "no task is owed any more",
  );
}

/** Of each loan that came back there is at most one notice; of the last loan of each child that ran, exactly one. */
async function assertToldOnce(tree: SimulatedTree): Promise<void> {
  const { reclaimed } = await tree.record("parent");
  const told = (await tree.log("parent")).entries.flatMap(toldOf);
  assert.deepEqual(told.toSorted(), [...new Set(told)].toSorted());
  for (const { name, loan, reason } of reclaimed) {
    // A beginning that failed was told by the call that asked for it.
    if (reason !== "not_started" && (await tree.pods.read(podName(name))) !== null)
      assert.ok(told.includes(`reclaim/${loan.id}`), `the loan of ${name} came back (${reason}) unsaid`);
  }
}

function toldOf(entry: LogEntry): readonly string[] {
  if (entry.kind !== "inbox_accepted" || !("item" in entry)) return [];
  return entry.submission?.startsWith("reclaim/") === true ? [entry.submission] : [];
}
