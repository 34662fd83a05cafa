/** The steps before a request with real hooks: check, hooks, drain, effective length, second check, commit, then yield or send. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { isKnown } from "@yoi/base";
import type { ContextSize } from "@yoi/worker";
import type { HookPoints } from "../../src/hook/points.ts";
import type { HookOwner } from "../../src/hook/registry.ts";
import { type Add, goOn, hook, type HookBench, hookBench, task } from "./support/hook-bench.ts";

const other: HookOwner = { id: "package:other", mayAppend: true };

function appends(body: string, owner: HookOwner = task): Add {
  return hook("pre_llm_request", ({ systemItems }) => (systemItems?.appendTaskReminder(body), goOn), {
    owner,
  });
}

type Phase = Parameters<HookPoints["threshold"]>[1];

/** The sizes that the two checks of the first request were shown. */
async function sizesWith(hooks: readonly Add[]): Promise<Record<Phase, ContextSize>> {
  const sizes: Partial<Record<Phase, ContextSize>> = {};
  const threshold: HookPoints["threshold"] = (size, phase) => ((sizes[phase] ??= size), null);
  await hookBench({ hooks, threshold }).run("go");
  const { committed, effective } = sizes;
  assert.ok(committed && effective);
  return { committed, effective };
}

function over(tokensMax: number): HookPoints["threshold"] {
  return ({ tokens }, phase) => (tokens > tokensMax ? `${phase}: ${tokens} tokens` : null);
}

/** Bodies of the reminders in history, and in the last request. */
function bodies(b: HookBench): { history: string[]; request: string[] | null } {
  const of = (items: HookBench["history"]["items"]) =>
    items.flatMap(({ item }) => (item.type === "system_item" ? [item.body] : []));
  const request = b.scripted.requests.at(-1);
  return { history: of(b.history.items), request: request === undefined ? null : of(request.items) };
}

function recordedLengths({ history }: HookBench): number[] {
  return history.entries.flatMap((entry) =>
    isKnown(entry) && entry.kind === "llm_request" ? [entry.items] : [],
  );
}

test("A0-33: the recorded length of a request counts what a hook appended", async () => {
  const plain = hookBench({ hooks: [] });
  await plain.run("go");
  const b = hookBench({ hooks: [appends("x")] });
  await b.run("go");
  assert.deepEqual(recordedLengths(plain), [1]);
  assert.deepEqual(recordedLengths(b), [2]);
  assert.equal(b.scripted.requests[0]?.items.length, 2, "and it is what was sent");
});

test("A0-33: it is recorded exactly once for each request that is sent, and not at all for one that is not", async () => {
  let requests = 0;
  const b = hookBench({
    scenario: "steps: [{ tool_calls: [{ name: Echo, arguments: {} }] }, { text: end }]",
    hooks: [
      appends("x"),
      hook("pre_llm_request", () => {
        requests += 1;
        return requests === 2 ? { action: "yield", reason: "wait" } : goOn;
      }),
    ],
  });
  await b.run("go");
  assert.deepEqual(recordedLengths(b), [2]);
  await b.run(null);
  assert.deepEqual(recordedLengths(b), [2, 5]);
});

test("A0-34: the second check sees the context with what was appended: just above the size without it is over", async () => {
  const { committed, effective } = await sizesWith([appends("x")]);
  assert.ok(effective.tokens > committed.tokens);
  assert.equal(effective.items, committed.items + 1);
  const yields = hookBench({ hooks: [appends("x")], threshold: over(committed.tokens) });
  assert.deepEqual(await yields.run("go"), {
    kind: "yielded",
    by: { kind: "threshold" },
    reason: `effective: ${effective.tokens} tokens`,
  });
  // Control: with room for it, and without the item, the same limit lets the request go.
  const fits = hookBench({ hooks: [appends("x")], threshold: over(effective.tokens) });
  assert.deepEqual(await fits.run("go"), { kind: "finished", text: "ok" });
  const bare = hookBench({ hooks: [], threshold: over(committed.tokens) });
  assert.deepEqual(await bare.run("go"), { kind: "finished", text: "ok" });
});

test("A0-35: where the first check fires hooks are not asked", async () => {
  let asked = 0;
  const counting = hook("pre_llm_request", () => ((asked += 1), goOn));
  const { committed } = await sizesWith([]);
  const b = hookBench({ hooks: [counting, appends("x")], threshold: over(committed.tokens - 1) });
  assert.deepEqual(await b.run("go"), {
    kind: "yielded",
    reason: `committed: ${committed.tokens} tokens`,
    by: { kind: "threshold" },
  });
  assert.equal(asked, 0);
  assert.deepEqual(bodies(b), { history: [], request: null });
  const control = hookBench({ hooks: [counting], threshold: over(committed.tokens) });
  await control.run("go");
  assert.equal(asked, 1);
});

describe("A0-36, A1-07: the order of the steps", () => {
  /** Every step that can be seen, as it happens. */
  async function trace(isOver: boolean): Promise<string[]> {
    const steps: string[] = [];
    let drained = false;
    const b = hookBench({
      hooks: [
        hook("pre_llm_request", ({ info, systemItems }) => {
          steps.push(`hook 1 of ${info.itemCount}`);
          systemItems?.appendTaskReminder("x");
          return goOn;
        }),
        hook("pre_llm_request", async ({ info }) => (steps.push(`hook 2 of ${info.itemCount}`), goOn)),
      ],
      drain: async () => {
        if (drained) return [];
        drained = true;
        steps.push("drain");
        return [
          {
            kind: "system_item",
            item: { type: "system_item", kind: "notification", source: "host", body: "n" },
          },
        ];
      },
      threshold: ({ items }, phase) => {
        steps.push(`${phase} ${items}`);
        return isOver && phase === "effective" ? "over" : null;
      },
    });
    await b.history.say("go");
    b.history.onAppend = (entries) => void steps.push(`append ${entries.map(({ kind }) => kind).join(", ")}`);
    steps.push((await b.run(null)).kind);
    return steps;
  }
  const upToCommit = [
    "drain",
    "append system_item",
    "committed 2",
    "hook 1 of 2",
    "hook 2 of 2",
    "effective 3",
    "append system_item",
  ];

  test("A0-36, A1-07: check, hooks, effective length, second check, commit, then the request goes on record and out", async () => {
    assert.deepEqual(await trace(false), [
      ...upToCommit,
      "append llm_request",
      "append assistant_item, llm_usage, turn_end",
      "finished",
    ]);
  });
  test("A0-36, A0-37: over at the second check: the same up to the commit, then it yields", async () => {
    assert.deepEqual(await trace(true), [...upToCommit, "yielded"]);
  });
});

test("A0-37, A0-38: a yield of the second check has committed what was queued, once, and the next request starts with it", async () => {
  const { committed } = await sizesWith([appends("x")]);
  let limit = committed.tokens;
  let appended = false;
  const once = hook("pre_llm_request", ({ systemItems }) => {
    if (!appended) systemItems?.appendTaskReminder("x");
    appended = true;
    return goOn;
  });
  const b = hookBench({ hooks: [once], threshold: (...asked) => over(limit)(...asked) });
  assert.equal((await b.run("go")).kind, "yielded");
  assert.deepEqual(bodies(b), { history: ["x"], request: null });
  assert.equal(b.history.kinds("system_item").length, 1);
  limit = Number.POSITIVE_INFINITY;
  assert.deepEqual(await b.run(null), { kind: "finished", text: "ok" });
  assert.deepEqual(bodies(b), { history: ["x"], request: ["x"] });
  assert.equal(b.history.kinds("system_item").length, 1);
  b.history.assertReplays();
});

test("A0-39: over with nothing queued is a plain yield: nothing is appended", async () => {
  const b = hookBench({
    hooks: [hook("pre_llm_request", () => goOn)],
    threshold: (_, phase) => (phase === "effective" ? "over" : null),
  });
  await b.history.say("go");
  const before = b.history.entries.length;
  assert.deepEqual(await b.run(null), { kind: "yielded", reason: "over", by: { kind: "threshold" } });
  assert.equal(b.history.entries.length, before);
});

test("A0-44: two owners append in the order in which they are asked, and both are in both checks' size, the recorded length and the request", async () => {
  const first = appends("of the built-in");
  const second = appends("of the other", other);
  for (const [hooks, order] of [
    [
      [first, second],
      ["of the built-in", "of the other"],
    ],
    [
      [second, first],
      ["of the other", "of the built-in"],
    ],
  ] as const) {
    const b = hookBench({ hooks });
    await b.run("go");
    assert.deepEqual(bodies(b), { history: order, request: order });
    assert.deepEqual(recordedLengths(b), [3]);
    const { committed, effective } = await sizesWith(hooks);
    const { effective: one } = await sizesWith([first]);
    assert.deepEqual([committed.items, one.items, effective.items], [1, 2, 3]);
    assert.ok(effective.tokens > one.tokens);
    const tight = hookBench({ hooks, threshold: over(effective.tokens - 1) });
    assert.equal((await tight.run("go")).kind, "yielded");
  }
});

test("A0-44: hooks of one request are shown the same committed context, whatever others have queued", async () => {
  const seen: unknown[] = [];
  const looks = hook("pre_llm_request", ({ info }) => (seen.push(info), goOn));
  const b = hookBench({ hooks: [looks, appends("x"), looks, appends("y", other), looks] });
  await b.run("go");
  assert.equal(seen.length, 3);
  assert.deepEqual(seen[1], seen[0]);
  assert.deepEqual(seen[2], seen[0]);
});

test("A1-07: each queued item is its own entry, all in one batch, on record before the request that shows them", async () => {
  const b = hookBench({ hooks: [appends("1"), appends("2"), appends("3")] });
  await b.run("go");
  assert.deepEqual(b.history.batches.slice(1), [
    ["system_item", "system_item", "system_item"],
    ["llm_request"],
    ["assistant_item", "llm_usage", "turn_end"],
  ]);
});

test("A0-41: only the worker's steps before a request, and a provider that refuses one for its length, make a yield, and only the points of hooks fill its queue", async () => {
  const packages = new URL("../../../", import.meta.url).pathname;
  const files = (await readdir(packages, { recursive: true })).filter((path) =>
    /^[^/]+\/src\/.*\.ts$/.test(path),
  );
  assert.ok(files.length > 200, "control: the sources are there");
  const containing = async (pattern: RegExp) => {
    const found: string[] = [];
    for (const path of files)
      if (pattern.test(await readFile(join(packages, path), "utf8"))) found.push(path);
    return found.toSorted();
  };
  assert.deepEqual(await containing(/[^y] kind: "yielded"/), ["worker/src/prepare.ts", "worker/src/turn.ts"]);
  assert.deepEqual(await containing(/action: "continue",\s*queued\b/), [
    "pod/src/compact/compactor-points.ts",
    "pod/src/hook/points.ts",
    "worker/src/loop-points.ts",
  ]);
});
