/** The task of a child whose parent died before it was given: owed on record, given once when the parent is there again, and told. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { partText, YoiError } from "@yoi/base";
import { aCall, aRequest, SimulatedTree, type TreePod } from "../../../../test/support/simulated-tree.ts";
import { lookAgainMs } from "../../src/spawn/look-again.ts";
import { reclaimNotices, refused } from "./asserting.ts";

/** A parent that was killed while it asked the child, which is up, to take its task. */
async function beheaded(tree: SimulatedTree = new SimulatedTree()): Promise<SimulatedTree> {
  const parent = await tree.open("parent");
  parent.process.killAt = () => (tree.find("kid") === null ? null : "after");
  void parent.manage.spawn(aRequest("kid", "/w/a"), aCall()).catch(() => {});
  await tree.host.advance(100);
  assert.equal(parent.process.isDead, true);
  tree.bury(parent);
  assert.deepEqual(await inputs(tree), []);
  return tree;
}

async function inputs(tree: SimulatedTree): Promise<readonly string[]> {
  const { entries } = await tree.log("kid");
  return entries.flatMap((entry) =>
    entry.kind === "user_input" && "parts" in entry ? [entry.parts.map(partText).join("")] : [],
  );
}

/** What the parent's model is told of the task. */
async function told(tree: SimulatedTree): Promise<readonly string[]> {
  const { entries } = await tree.log("parent");
  return entries.flatMap((entry) =>
    entry.kind === "inbox_accepted" && "item" in entry && entry.submission?.startsWith("task/") === true
      ? [entry.item.body]
      : [],
  );
}

const owed = async (tree: SimulatedTree) =>
  (await tree.record("parent")).children.map(({ task }) => task !== undefined);

async function again(tree: SimulatedTree): Promise<TreePod> {
  const parent = await tree.open("parent");
  await tree.host.advance(100);
  return parent;
}

test("a child that outlived its parent's SpawnPod is given its task when the parent is there again, once over any number of restarts", async () => {
  const tree = await beheaded();
  for (let n = 0; n < 3; n += 1) {
    const parent = await again(tree);
    assert.deepEqual(await inputs(tree), ["do what kid does"]);
    assert.deepEqual(await told(tree), ["The child kid has begun, and has been given its task."]);
    assert.deepEqual(await owed(tree), [false]);
    tree.kill(parent.name);
  }
});

test("one that takes no clients yet stays owed, and is given with a later look", async () => {
  const tree = await beheaded();
  tree.behaviour.set("kid", { reach: "refused" });
  const parent = await again(tree);
  assert.deepEqual([await owed(tree), await inputs(tree), await told(tree)], [[true], [], []]);
  assert.deepEqual(
    parent.events.filter(({ type }) => type === "alert"),
    [],
  );
  tree.behaviour.delete("kid");
  await tree.host.advance(lookAgainMs + 100);
  assert.deepEqual([await owed(tree), (await inputs(tree)).length], [[false], 1]);
});

test("what the model sends to it comes behind the task", async () => {
  const tree = await beheaded();
  tree.behaviour.set("kid", { reach: "refused" });
  const parent = await again(tree);
  tree.behaviour.delete("kid");
  await tree.through(parent.manage.send("kid", "and be quick", aCall()).catch(() => {}));
  assert.equal((await inputs(tree))[0], "do what kid does");
});

test("a task that the child refuses is told as one that was not given, and is not owed any more", async () => {
  const tree = await beheaded();
  const kid = tree.find("kid");
  assert.ok(kid !== null);
  // Another input under the task's name.
  const { children } = await tree.record("parent");
  const { task } = children[0] ?? assert.fail("no child");
  const submission = task?.submission ?? assert.fail("no task");
  await kid.process.await(
    kid.pod.begin([{ type: "text", text: "something else" }], { limits: { timeoutMs: null }, submission }),
  );
  await again(tree);
  const [sentence = ""] = await told(tree);
  assert.match(
    sentence,
    /^The child kid has begun and holds its loan, but was not given its task \(16 bytes\): .+ Give it with SendToPod/,
  );
  assert.deepEqual(await owed(tree), [false]);
});

test("a child that is gone is owed nothing: its loan comes back", async () => {
  const tree = await beheaded();
  tree.kill("kid");
  const parent = await again(tree);
  assert.deepEqual(await tree.record("parent").then(({ children }) => children), []);
  await refused(parent.manage.send("kid", "go on", aCall()), "child_unknown", /RestorePod/);
  assert.deepEqual(await told(tree), []);
  const [{ body = "" } = {}] = await reclaimNotices(tree, "parent");
  assert.match(
    body,
    /RestorePod starts it again with the same loan\. Whether it was given its task is not known: give it with SendToPod then\.$/,
  );
});

test("a record that cannot be written behind the task is said to the user, and the child has its task once", async () => {
  let fails = false;
  const tree = new SimulatedTree({
    wrapPods: (pods) => ({
      ...pods,
      putChild: async (name, expected, child) => {
        if (fails && child.task === undefined) throw new YoiError("disk_full", "The disk is full.");
        return pods.putChild(name, expected, child);
      },
    }),
  });
  const parent = await tree.open("parent");
  fails = true;
  await parent.manage.spawn(aRequest("kid", "/w/a"), aCall());
  assert.match(JSON.stringify(parent.events), /stays on record as one without its task: The disk is full/);
  assert.deepEqual(await owed(tree), [true]);
  fails = false;
  await tree.host.advance(lookAgainMs + 100);
  assert.deepEqual([await owed(tree), (await inputs(tree)).length], [[false], 1]);
});
