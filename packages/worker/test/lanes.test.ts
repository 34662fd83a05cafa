/** Lanes: which jobs wait for which, under random claims and random ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Claim } from "@yoi/base";
import fc from "fast-check";
import { type Job, runInLanes } from "../src/lanes.ts";

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const neverStopped = () => false;

/** Jobs that say when they begin, and end when they are told to. */
class Course {
  readonly begun: number[] = [];
  readonly running = new Map<number, () => void>();
  readonly jobs: readonly (Job & { readonly at: number })[];

  constructor(claims: readonly (Claim | null)[]) {
    this.jobs = claims.map((claim, at) => ({
      at,
      claim,
      run: () => {
        this.begun.push(at);
        return new Promise((resolve) => this.running.set(at, resolve));
      },
    }));
  }

  async end(at: number): Promise<void> {
    const end = this.running.get(at);
    assert.ok(end, `${at} is not running`);
    this.running.delete(at);
    end();
    await settled();
  }
}

/** Written another way than the code: paths as lists of names. */
function conflicts(a: Claim | null | undefined, b: Claim | null | undefined): boolean {
  if (!a || !b || (a.mode === "shared" && b.mode === "shared")) return false;
  const [one, other] = [a, b].map(({ path }) => path.split("/").filter((name) => name !== ""));
  return (one ?? []).every((name, index) => other?.[index] === name || index >= (other?.length ?? 0));
}

const read = (path: string): Claim => ({ path, mode: "shared" });
const change = (path: string): Claim => ({ path, mode: "exclusive" });

test("which of two jobs wait: a table", async () => {
  const table: readonly [first: Claim | null, second: Claim | null, waits: boolean][] = [
    [change("/w/g"), change("/"), true],
    [change("/"), read("/w/g"), true],
    [read("/w/g"), change("/"), true],
    [change("/w/g"), read("/w/g"), true],
    [read("/w/g"), change("/w/g"), true],
    [change("/w"), change("/w/g"), true],
    [change("/w/g/h"), change("/w/g"), true],
    [change("/"), change("/"), true],
    [read("/w/g"), read("/w/g"), false],
    [read("/"), read("/w/g"), false],
    [change("/w/g"), change("/w/gg"), false],
    [change("/w/g"), change("/w/h"), false],
    [change("/"), null, false],
    [null, change("/"), false],
  ];
  for (const [first, second, waits] of table) {
    const course = new Course([first, second]);
    const over = runInLanes(course.jobs, { parallelMax: 8, stopped: neverStopped });
    await settled();
    assert.deepEqual(course.begun, waits ? [0] : [0, 1], JSON.stringify([first, second]));
    await course.end(0);
    assert.deepEqual(course.begun, [0, 1]);
    await course.end(1);
    assert.deepEqual(await over, []);
  }
});

test("a reader waits for a writer that waits itself: nobody overtakes", async () => {
  const course = new Course([read("/f"), change("/f"), read("/f"), read("/g")]);
  const over = runInLanes(course.jobs, { parallelMax: 8, stopped: neverStopped });
  await settled();
  assert.deepEqual(course.begun, [0, 3]);
  await course.end(0);
  assert.deepEqual(course.begun, [0, 3, 1]);
  await course.end(1);
  assert.deepEqual(course.begun, [0, 3, 1, 2]);
  await course.end(2);
  await course.end(3);
  assert.deepEqual(await over, []);
});

test("what never began comes back in order", async () => {
  const course = new Course([change("/f"), change("/f"), read("/g"), change("/"), null]);
  let stopped = false;
  const over = runInLanes(course.jobs, { parallelMax: 2, stopped: () => stopped });
  await settled();
  assert.deepEqual(course.begun, [0, 2]);
  stopped = true;
  await course.end(0);
  await course.end(2);
  assert.deepEqual(
    (await over).map(({ at }) => at),
    [1, 3, 4],
  );
});

test("a job that comes later goes behind all that wait then; all are over when none can come any more", async () => {
  const course = new Course([change("/f"), change("/f"), change("/f"), null]);
  const [first, second, late, last] = course.jobs;
  assert.ok(first && second && late && last);
  const comes = Promise.withResolvers<typeof late | null>();
  const never = Promise.withResolvers<typeof late | null>();
  const later = [comes.promise, never.promise];
  let isOver = false;
  const over = runInLanes([first, second], { later, parallelMax: 8, stopped: neverStopped });
  void over.then(() => (isOver = true));
  await settled();
  comes.resolve(late);
  await course.end(0);
  assert.deepEqual(course.begun, [0, 1]);
  await course.end(1);
  assert.deepEqual(course.begun, [0, 1, 2]);
  await course.end(2);
  assert.equal(isOver, false, "one can still come");
  never.resolve(null);
  assert.deepEqual(await over, []);
});

test("a job that comes after the stop, or with a failure, never begins", async () => {
  const course = new Course([null, null]);
  const [first, late] = course.jobs;
  assert.ok(first && late);
  const comes = Promise.withResolvers<typeof late | null>();
  let stopped = false;
  const over = runInLanes([first], { later: [comes.promise], parallelMax: 8, stopped: () => stopped });
  await settled();
  stopped = true;
  await course.end(0);
  comes.resolve(late);
  assert.deepEqual(await over, [late]);
  const failure = new Error("it did not come");
  const failed = runInLanes([], { later: [Promise.reject(failure)], parallelMax: 8, stopped: neverStopped });
  await assert.rejects(failed, failure);
});

test("random claims: conflicting jobs never overlap and begin in order; any other begins as soon as there is room", async () => {
  const claim = fc.option(
    fc.record({
      path: fc.constantFrom("/", "/a", "/a/b", "/a/b/c", "/ab", "/a/c", "/d"),
      mode: fc.constantFrom<Claim["mode"]>("shared", "exclusive"),
    }),
  );
  const property = fc.asyncProperty(
    fc.array(claim, { maxLength: 14 }),
    fc.integer({ min: 1, max: 8 }),
    fc.array(fc.nat(), { minLength: 14, maxLength: 14 }),
    async (claims, parallelMax, picks) => {
      const course = new Course(claims);
      const over = runInLanes(course.jobs, { parallelMax, stopped: neverStopped });
      const finished = new Set<number>();
      for (const pick of picks.slice(0, claims.length)) {
        await settled();
        const now = [...course.running.keys()];
        const room = now.length < parallelMax;
        assert.ok(now.length <= parallelMax);
        for (const at of claims.keys()) {
          const blocked = claims
            .slice(0, at)
            .some((other, index) => !finished.has(index) && conflicts(other, claims[at]));
          const began = course.begun.includes(at);
          if (course.running.has(at)) assert.equal(blocked, false, `${at} began too early`);
          else if (!began && room) assert.equal(blocked, true, `${at} waits for nothing`);
        }
        const ends = now[pick % now.length];
        assert.ok(ends !== undefined, "something runs");
        finished.add(ends);
        await course.end(ends);
      }
      assert.deepEqual(await over, []);
      assert.equal(course.begun.length, claims.length);
    },
  );
  await fc.assert(property, { seed: 23, numRuns: 300 });
});
