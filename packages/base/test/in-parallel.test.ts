/** Work on many things, some at a time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inParallel } from "../src/index.ts";

test("at most so many at a time, and the results in order", async () => {
  let running = 0;
  let most = 0;
  const results = await inParallel([5, 4, 3, 2, 1, 0], 3, async (n) => {
    running += 1;
    most = Math.max(most, running);
    for (let turn = 0; turn < n; turn += 1) await Promise.resolve();
    running -= 1;
    return `${n}!`;
  });
  assert.deepEqual([results, most, running], [["5!", "4!", "3!", "2!", "1!", "0!"], 3, 0]);
  assert.deepEqual(await inParallel([], 3, async () => 1), []);
});

test("a failure is thrown once what was begun is done, and nothing more is begun", async () => {
  const begun: number[] = [];
  const done: number[] = [];
  const work = inParallel([0, 1, 2, 3, 4], 2, async (n) => {
    begun.push(n);
    await Promise.resolve();
    if (n === 0) throw new Error("no");
    await Promise.resolve();
    done.push(n);
  });
  await assert.rejects(work, /^Error: no$/);
  assert.deepEqual([begun, done], [[0, 1], [1]]);
});
