/** When a parent is woken by what became of its children, and what that costs it: requests are counted. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isKnown, type LogEntry } from "@yoi/base";
import { inboxMax } from "@yoi/pod";
import { lookAgainMs } from "../../packages/pod/src/spawn/look-again.ts";
import { manifestOf } from "../support/simulated-pod.ts";
import { aCall, aRequest, type OpenOptions, SimulatedTree, type TreePod } from "../support/simulated-tree.ts";

const answering = (...answers: readonly object[]) =>
  JSON.stringify({ steps: [...answers, ...Array.from({ length: 6 }, () => ({ text: "More." }))] });
const go = [{ type: "text", text: "go" }] as const;

/** Lets virtual time pass, and what was begun in memory go on. */
async function pass(tree: SimulatedTree, ms: number): Promise<void> {
  for (let n = 0; n < ms / 25; n += 1) {
    await tree.host.advance(25);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function entries(tree: SimulatedTree, name: string): Promise<readonly LogEntry[]> {
  return (await tree.log(name)).entries;
}

/** What it accepted of its children, and how often it asked its model. */
async function heardBy(tree: SimulatedTree, name: string) {
  const known = (await entries(tree, name)).filter(isKnown);
  const heard = known.flatMap((entry) =>
    entry.kind === "inbox_accepted" && entry.item.kind === "pod_event"
      ? [entry.item.body.replace(/ ReadPodOutput.*| You may write.*/s, "")]
      : [],
  );
  return { heard, requests: known.filter(({ kind }) => kind === "llm_request").length };
}

async function familyOf(options: OpenOptions & { readonly kid?: OpenOptions } = {}) {
  const tree = new SimulatedTree();
  tree.behaviour.set("kid", { open: { scenario: answering({ text: "Done." }), ...options.kid } });
  const open: OpenOptions = { scenario: answering(), beginsOwnRuns: true, ...options };
  const parent = await tree.open("parent", open);
  await tree.through(parent.manage.spawn(aRequest("kid", "/w/kid"), aCall()));
  const live = (name: string): TreePod => tree.find(name) ?? assert.fail(`${name} does not live`);
  return { tree, parent, live, reopen: () => tree.through(tree.open("parent", open)) };
}
const done = (name: string) => `The Pod ${name} finished its run.`;
const lost = "The child kid is gone without an orderly end, and its loan came back.";

test("depth 3: an answer that a notification began wakes whoever is above, up to the first", async () => {
  const { tree, live } = await familyOf({ kid: { beginsOwnRuns: true } });
  await pass(tree, 500);
  const own = { open: { scenario: answering(), beginsOwnRuns: true } };
  tree.behaviour.set("grand", own);
  tree.behaviour.set("great", { open: { scenario: answering({ text: "The result.", delay_ms: 5_000 }) } });
  await tree.through(live("kid").manage.spawn(aRequest("grand", "/w/kid/grand"), aCall()));
  await tree.through(live("grand").manage.spawn(aRequest("great", "/w/kid/grand/great"), aCall()));
  await pass(tree, 2_000);
  const before = await heardBy(tree, "parent");
  assert.deepEqual((await heardBy(tree, "grand")).heard, [], "the last one works yet");
  await pass(tree, 6_000);
  assert.deepEqual((await heardBy(tree, "grand")).heard, [done("great")]);
  assert.equal((await heardBy(tree, "kid")).heard.at(-1), done("grand"));
  const after = await heardBy(tree, "parent");
  assert.deepEqual(after.heard.slice(before.heard.length), [done("kid")]);
  assert.equal(after.requests, before.requests + 1);
});

describe("without a hint, and without any input", () => {
  test("a child that died before it found its parent again: the loan is back, and the parent is told", async () => {
    const { tree, reopen } = await familyOf();
    await pass(tree, 500);
    tree.kill("parent");
    tree.behaviour.set("parent", { reach: "refused" });
    const parent = await reopen();
    tree.kill("kid");
    assert.deepEqual((await heardBy(tree, "parent")).heard, [done("kid")]);
    await pass(tree, lookAgainMs - 100);
    assert.equal((await tree.record("parent")).children.length, 1, "nobody has looked");
    await pass(tree, 200);
    assert.deepEqual((await tree.record("parent")).children, []);
    assert.deepEqual((await heardBy(tree, "parent")).heard, [done("kid"), lost]);
    await pass(tree, 1_000);
    assert.deepEqual([parent.pod.snapshot.waiting, parent.pod.snapshot.state], [0, "idle"], "and told");
    await tree.through(parent.end());
  });

  test("a Pod that stays idle notices what ended in its child, again and again; one that lends nothing looks for nothing", async () => {
    const { tree, parent, live } = await familyOf();
    await pass(tree, 500);
    tree.kill("parent");
    tree.behaviour.set("parent", { reach: "refused" });
    await tree.through(tree.open("parent", { scenario: answering(), beginsOwnRuns: true }));
    for (const times of [2, 3]) {
      await tree.through(live("kid").pod.submit(go));
      await pass(tree, lookAgainMs + 100);
      assert.deepEqual((await heardBy(tree, "parent")).heard, Array(times).fill(done("kid")));
    }
    const again = live("parent");
    await tree.through(again.manage.stop("kid", aCall()));
    await pass(tree, lookAgainMs);
    const { operations } = tree.host.disk;
    await pass(tree, 4 * lookAgainMs);
    assert.equal(tree.host.disk.operations, operations);
    assert.notEqual(again, parent);
    await tree.through(again.end());
  });
});

describe("what it costs", () => {
  test("a child that the user stops: one request, when its write is back", async () => {
    const { tree, parent, live } = await familyOf();
    await pass(tree, 1_000);
    const before = await heardBy(tree, "parent");
    assert.deepEqual(before, { heard: [done("kid")], requests: 1 });
    await tree.through(live("kid").end());
    await pass(tree, 10_000);
    assert.deepEqual(await heardBy(tree, "parent"), {
      heard: [done("kid"), "The child kid has stopped (shutdown), and its loan came back."],
      requests: 2,
    });
    await tree.through(parent.end());
  });

  test("its own orderly end, which stops its children: none, until it has something to ask", async () => {
    const { tree, parent, reopen } = await familyOf();
    await pass(tree, 1_000);
    await tree.through(parent.end());
    const again = await reopen();
    await pass(tree, 10_000);
    const stopped = "The child kid has stopped, and its loan came back.";
    assert.deepEqual(await heardBy(tree, "parent"), { heard: [done("kid"), stopped], requests: 1 });
    await tree.through(again.pod.submit(go));
    assert.deepEqual([(await heardBy(tree, "parent")).requests, again.pod.snapshot.waiting], [2, 0]);
    await tree.through(again.end());
  });

  test("StopPod: none of its own", async () => {
    const { tree, parent } = await familyOf();
    await pass(tree, 1_000);
    await tree.through(parent.manage.stop("kid", aCall()));
    await pass(tree, 10_000);
    const { heard, requests } = await heardBy(tree, "parent");
    assert.deepEqual([heard.length, requests, parent.pod.snapshot.waiting], [2, 1, 1]);
    await tree.through(parent.end());
  });
});

test("a child that ends in the last turn that its parent's run has: a run of its own tells it", async () => {
  const { limits, ...manifest } = manifestOf();
  const { tree, parent } = await familyOf({
    manifest: { ...manifest, limits: { ...limits, max_turns: 1 } },
    scenario: answering({ text: "I wait.", delay_ms: 3_000 }),
    kid: { scenario: answering({ text: "Done.", delay_ms: 1_000 }) },
  });
  const running = parent.pod.submit(go);
  await pass(tree, 2_000);
  assert.deepEqual((await heardBy(tree, "parent")).heard, [done("kid")]);
  assert.equal(parent.pod.snapshot.state, "running");
  const { turns } = await tree.through(running);
  await pass(tree, 1_000);
  assert.deepEqual([turns, parent.pod.snapshot.turns, parent.pod.snapshot.waiting], [1, 2, 0]);
  await tree.through(parent.end());
});

test("a full inbox in a long run: what ended is accepted as soon as there is room, while the run goes on", async () => {
  const call = { delay_ms: 2_000, tool_calls: [{ name: "Nothing", arguments: {} }] };
  const { tree, parent } = await familyOf({
    scenario: answering(call, { text: "At last.", delay_ms: 60_000 }),
    kid: { scenario: answering({ text: "Done.", delay_ms: 1_000 }) },
  });
  await parent.pod.begin(go);
  await pass(tree, 100);
  for (let n = 0; n < inboxMax; n += 1) await parent.pod.notify({ source: "x", message: `news ${n}` });
  await pass(tree, 1_700);
  assert.deepEqual((await heardBy(tree, "parent")).heard, []);
  assert.equal((await entries(tree, "kid")).at(-1)?.kind, "run_completed");
  await pass(tree, 400);
  assert.deepEqual((await heardBy(tree, "parent")).heard, [done("kid")]);
  assert.equal(parent.pod.snapshot.state, "running");
  tree.kill("parent");
});
