/** Named points in the life of a parent and its child, each known by what is on disk; what is killed there, and what must hold afterwards. */
import assert from "node:assert/strict";
import { aliveWithEnv, eventually } from "../support/processes.ts";
import { child, Family, parent } from "./family.ts";

const reachMsMax = 20_000;
const settleMsMax = 20_000;

const stateOf = (family: Family) => family.metadata(parent)?.children[0]?.state;
const told = (family: Family, prefix: string) =>
  family
    .log(parent)
    .some(({ kind, submission }) => kind === "inbox_accepted" && submission?.startsWith(prefix));
const inChild = (family: Family, is: string) =>
  family.log(child).some(({ kind, domain }) => kind === is || domain === is);
const cameBack = (family: Family) => family.metadata(parent)?.reclaimed[0]?.loan.id;

/** In the order in which they come. */
export const points = {
  "the loan is on record": (family: Family) => stateOf(family) === "starting",
  "the child has metadata": (family: Family) => family.metadata(child) !== null,
  "the child's process has its lease": (family: Family) => family.owner(child) !== null,
  "the child has a log": (family: Family) => family.hasLog(child),
  "the child is live": (family: Family) => stateOf(family) === "live",
  "the child has its task": (family: Family) => inChild(family, "user_input"),
  "the child's run has ended": (family: Family) => inChild(family, "run_completed"),
  "the parent was told of that": (family: Family) => told(family, `child/${child}/`),
  "the child says that it ends": (family: Family) => inChild(family, "yoi.shutdown"),
  "the child has closed its log": (family: Family) => (family.metadata(child)?.closed_head ?? null) !== null,
  "the parent was told that the loan came back": (family: Family) => told(family, "reclaim/"),
  "the loan came back": (family: Family) => cameBack(family) !== undefined,
  "the child has a new loan": (family: Family) => told(family, "reclaim/") && stateOf(family) === "starting",
  "the child is live again": (family: Family) => told(family, "reclaim/") && stateOf(family) === "live",
} as const satisfies Record<string, (family: Family) => boolean>;

export type Point = keyof typeof points;
export type Victim = "parent" | "child" | "both";

export interface Kill {
  readonly point: Point;
  readonly victim: Victim;
  /** Milliseconds behind the point. */
  readonly lateMs: number;
}

/** `meddle`: what a control does while the parent is dead. */
export async function killed(kill: Kill, meddle = async (_: Family): Promise<void> => {}): Promise<void> {
  await using family = new Family();
  await family.start();
  const client = await family.lead.client({ stream: false });
  const answer = await client.ask("submit", submission("Split the work."));
  assert.equal(answer.error, undefined, JSON.stringify(answer.error));
  const live = await reach(family, kill);
  strike(family, kill.victim);
  client.drop();
  family.setTries();
  if (kill.victim === "child") await quietAgain(family);
  else {
    await family.lead.ended;
    assertTold(family, live, "at most");
    await meddle(family);
    await family.lead.restore();
  }
  await agreed(family);
  assertTold(family, live, kill.victim === "child" ? "at most" : "exactly");
  if (kill.victim !== "child") await assertWriters(family);
  await assertEnd(family);
}

function submission(text: string): object {
  return { parts: [{ type: "text", text }], submission: text };
}

/** Loans that were seen in use until the point was reached. */
async function reach(family: Family, { point, lateMs }: Kill): Promise<ReadonlySet<string>> {
  const live = new Set<string>();
  const isReached = points[point];
  const deadline = performance.now() + reachMsMax;
  for (;;) {
    for (const { state, loan } of family.metadata(parent)?.children ?? [])
      if (state === "live") live.add(loan.id);
    if (isReached(family)) break;
    if (performance.now() > deadline)
      throw new Error(
        `it never came to this: ${point}\n${family.lead.output}\n${JSON.stringify(family.log(parent).slice(-6))}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  if (lateMs > 0) await new Promise((resolve) => setTimeout(resolve, lateMs));
  return live;
}

function strike(family: Family, victim: Victim): void {
  const pids = [
    ...(victim === "child" ? [] : [family.lead.pid]),
    ...(victim === "parent" ? [] : [family.owner(child)]),
  ];
  for (const pid of pids) if (pid !== null) kill(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** The parent lives on: its run comes to its end, whatever that says. */
async function quietAgain(family: Family): Promise<void> {
  const isOver = () =>
    family.log(parent).some(({ kind }) => kind === "run_completed" || kind === "run_errored");
  await eventually("the parent's run has ended", isOver, settleMsMax);
}

/** The loan is open where the child lives, and nowhere else. */
async function agreed(family: Family): Promise<void> {
  const isOpen = () => family.metadata(parent)?.children.length === 1;
  const lives = () => family.owner(child) !== null;
  await eventually("the loan is open just where the child lives", () => isOpen() === lives(), settleMsMax);
  assert.equal(
    aliveWithEnv(`YOI_HOME=${family.hosting.home.home}`).length,
    lives() ? 2 : 1,
    "a process of nobody's",
  );
}

/** Of each loan that came back there is one notice; of one that was never in use, at most one. */
function assertTold(family: Family, live: ReadonlySet<string>, how: "exactly" | "at most"): void {
  const notices = family
    .log(parent)
    .filter(
      ({ kind, item }) => kind === "inbox_accepted" && item?.body.includes("its loan came back") === true,
    );
  const names = notices.map(({ submission }) => submission);
  assert.equal(new Set(names).size, names.length, `told twice: ${names.join(", ")}`);
  if (how === "at most") return;
  const open = family.metadata(parent)?.children.map(({ loan }) => loan.id) ?? [];
  for (const id of live)
    if (!open.includes(id))
      assert.ok(names.includes(`reclaim/${id}`), `nobody said that the loan ${id} came back`);
}

/** By their own tools: who has the loan writes there, and the other one does not. */
async function assertWriters(family: Family): Promise<void> {
  const childLives = family.owner(child) !== null;
  const client = await family.lead.client();
  // An odd and an even answer: one of the two runs begins with a write.
  for (const text of ["Try it.", "Try it again."])
    await client.endOf(await client.ask("submit", submission(text)));
  client.drop();
  // It may have ended by itself meanwhile; then nobody knows when.
  if (childLives === (family.owner(child) !== null))
    assert.equal(family.wrote(parent), !childLives, childLives ? "two writers" : "the loan is leaked");
}

/** An orderly end: nothing is left running, every loan is back, and both logs are whole. */
async function assertEnd(family: Family): Promise<void> {
  const { code, stderr } = await family.lead.stop();
  assert.equal(code, 143, stderr);
  assert.deepEqual(family.metadata(parent)?.children, []);
  await eventually(
    "nothing is left running",
    () => aliveWithEnv(`YOI_HOME=${family.hosting.home.home}`).length === 0,
    settleMsMax,
  );
  const pods = [parent, ...(family.hasLog(child) ? [child] : [])];
  for (const { code: verified, stdout, stderr: said } of await Promise.all(
    pods.map((pod) => family.hosting.yoi("pod", "verify", pod)),
  ))
    assert.equal(verified, 0, stdout + said);
}
