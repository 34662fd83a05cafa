/** Steps 1 to 4, where they can be cut: no commit begins after a cancel, and who queued is told exactly of what is on record. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SystemItem } from "@yoi/base";
import { bench } from "./support/bench-worker.ts";
import { diskFull } from "./support/log-history.ts";

const reminder: SystemItem = {
  type: "system_item",
  kind: "task_reminder",
  source: "builtin:task",
  body: "x",
};

test("a cancel at any microtask after the hooks answered: nothing is committed that was not begun before it", async () => {
  const seen = new Set<string>();
  for (let wait = 0; wait < 40; wait += 1) {
    const controller = new AbortController();
    const told: (readonly SystemItem[])[] = [];
    const b = bench({
      points: {
        preRequest: async () => {
          const abortIn = (left: number): void =>
            left === 0 ? controller.abort() : queueMicrotask(() => abortIn(left - 1));
          abortIn(wait);
          return { action: "continue", queued: [reminder] };
        },
        queuedCommitted: (items) => told.push(items),
      },
    });
    const append = b.history.append.bind(b.history);
    b.history.append = (bodies) => {
      const commits = bodies.some((body) => body.kind === "system_item" && body.item === reminder);
      assert.ok(!(commits && controller.signal.aborted), `after ${wait} microtasks a commit began`);
      return append(bodies);
    };
    await b.run("go", { signal: controller.signal });
    const logged = b.history.items.some(
      ({ item }) => item.type === "system_item" && item.kind === "task_reminder",
    );
    assert.deepEqual(told, logged ? [[reminder]] : [], `after ${wait} microtasks`);
    seen.add(logged ? "committed" : "dropped");
    b.history.assertReplays();
  }
  assert.deepEqual([...seen].toSorted(), ["committed", "dropped"], "both were met");
});

test("W-60: a commit of queued items that fails ends the run: it is told to nobody as committed, and the end is told once", async () => {
  const heard: string[] = [];
  const b = bench({
    points: {
      preRequest: async () => ({ action: "continue", queued: [reminder] }),
      queuedCommitted: () => assert.fail("told"),
      aborted: (reason) => heard.push(reason),
    },
  });
  b.history.onAppend = (bodies) => {
    if (bodies.some(({ kind }) => kind === "system_item")) throw diskFull();
  };
  await assert.rejects(b.run("go"), { code: "disk_full" });
  assert.deepEqual(heard, ["The disk is full: make room and resume."]);
  assert.equal(b.scripted.requests.length, 0);
});

test("a cancel while queued items are committed: they stay, are told of, and no request follows", async () => {
  const controller = new AbortController();
  let told = 0;
  const b = bench({
    points: {
      preRequest: async () => ({ action: "continue", queued: [reminder] }),
      queuedCommitted: () => (told += 1),
    },
  });
  b.history.onAppend = (bodies) => {
    if (bodies.some(({ kind }) => kind === "system_item")) controller.abort();
  };
  assert.deepEqual(await b.run("go", { signal: controller.signal }), { kind: "cancelled" });
  assert.deepEqual(b.history.story(), ["user: go", "note: task_reminder"]);
  assert.equal(told, 1);
  assert.equal(b.scripted.requests.length, 0);
});

test("hooks are shown the size that the first check was shown, and the second check one with what is queued", async () => {
  const sizes: unknown[] = [];
  const b = bench({
    points: {
      threshold: ({ items, tokens }, phase) => (sizes.push([phase, items, tokens]), null),
      preRequest: async ({ items, tokens }) => (
        sizes.push(["hooks", items, tokens]),
        { action: "continue", queued: [reminder] }
      ),
    },
  });
  await b.run("go");
  const [committed, hooks, effective] = sizes as [string, number, number][];
  assert.deepEqual(hooks?.slice(1), committed?.slice(1));
  const bytes = Buffer.byteLength(JSON.stringify(reminder));
  assert.deepEqual(effective?.[1], 2);
  const more = (effective?.[2] ?? 0) - (committed?.[2] ?? 0);
  assert.ok(Math.abs(more - bytes / 4) <= 1, `${more} tokens for ${bytes} bytes`);
});
