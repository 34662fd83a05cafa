/** The Pod tools in a Pod, on a simulated machine: the model's calls, children that are Pods like any other, and a parent that dies between an effect and its result. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isKnown, type JsonObject, type ToolResult, utf8Length } from "@yoi/base";
import { podsFeature } from "@yoi/builtin";
import { podOutputBytesMax } from "@yoi/feature";
import { type OpenOptions, SimulatedTree, type TreePod } from "../../../../test/support/simulated-tree.ts";
import { faultsOf, reach } from "../boundary/reach.ts";
import { moduleOf, descriptorOf } from "./features.ts";

const scope = [
  { target: "/w", permission: "read" },
  { target: "/w/a", permission: "write" },
];
const spawn = (name: string, more: JsonObject = {}) => ({
  name: "SpawnPod",
  arguments: { name, task: `Work as ${name}.`, scope, ...more },
});
const of = (tool: string, args: JsonObject = {}) => ({ name: tool, arguments: args });

/** YAML: an answer for each list of calls of each run, and one that ends it. A later process plays on behind what is on record. */
function scenarioOf(...runs: readonly (readonly (readonly object[])[])[]): string {
  const steps = runs.flatMap((run) => [...run.map((calls) => ({ tool_calls: calls })), { text: "done" }]);
  return JSON.stringify({ steps });
}

const child: OpenOptions = { scenario: JSON.stringify({ steps: [{ text: "It is mended." }] }) };
const withTools = (scenario: string): OpenOptions => ({
  scenario,
  features: () => [podsFeature({ profiles: [] })],
});

/** One input of the parent to its end; the children's runs go on beside it. */
async function run(tree: SimulatedTree, { pod, process }: TreePod): Promise<void> {
  let isOver = false;
  const running = process.await(pod.submit([{ type: "text", text: "go" }])).finally(() => (isOver = true));
  running.catch(() => {});
  for (let step = 0; step < 200 && !isOver && !process.isDead; step += 1) await tree.host.advance(100);
  if (!process.isDead) await running;
}

/** Until the child's run is over. */
async function atRest(tree: SimulatedTree, name: string): Promise<void> {
  for (let step = 0; step < 200 && tree.find(name)?.pod.snapshot.state !== "idle"; step += 1)
    await tree.host.advance(100);
}

async function results(tree: SimulatedTree, name: string): Promise<readonly ToolResult[]> {
  const { entries } = await tree.log(name);
  return entries.filter(isKnown).flatMap((entry) => (entry.kind === "tool_result" ? [entry.item] : []));
}

function podsIn(content: string | undefined): readonly JsonObject[] {
  return (JSON.parse(content ?? "") as { readonly pods: readonly JsonObject[] }).pods;
}

test("a model starts a child, reads what it said, stops it, and has it started again", async () => {
  const tree = new SimulatedTree();
  tree.behaviour.set("a", { open: child });
  const steps = [
    [spawn("a")],
    [of("ListPods")],
    [of("StopPod", { name: "a" })],
    [of("ReadPodOutput", { name: "a" })],
    [of("ReadPodOutput", { name: "a" })],
    [of("RestorePod", { name: "a" })],
    [of("ListPods")],
  ];
  const parent = await tree.open("parent", withTools(scenarioOf(steps)));
  await run(tree, parent);
  const [spawned, listed, stopped, read, again, restored, last] = await results(tree, "parent");
  assert.deepEqual(
    [spawned, stopped, again, restored].map((result) => result?.summary),
    [
      "Pod a was started and has its task; its socket is /run/a. You are told when its turn ends.",
      "Pod a is stopped. You can write again: /w/a.",
      "Pod a is stopped: nothing new since it was read last.",
      "Pod a was started again. SendToPod tells it what to do.",
    ],
  );
  assert.equal(read?.content, "It is mended.");
  const brief = (content: string | undefined) =>
    podsIn(content).map(({ pod_name, relation, loan, state }) => [pod_name, relation, loan, state]);
  assert.deepEqual(
    brief(listed?.content).map(([name, relation, loan]) => [name, relation, loan]),
    [
      ["parent", "self", null],
      ["a", "child", "open"],
    ],
  );
  assert.deepEqual(brief(last?.content), [
    ["parent", "self", null, "running"],
    ["a", "child", "open", "idle"],
  ]);
  assert.equal(tree.find("a")?.pod.snapshot.name, "a");
});

test("W-41: what was read stays read when the parent goes on in another process", async () => {
  const tree = new SimulatedTree();
  tree.behaviour.set("a", { open: child });
  const read = [of("ReadPodOutput", { name: "a" })];
  const options = withTools(scenarioOf([[spawn("a")], [of("StopPod", { name: "a" })], read], [read]));
  await run(tree, await tree.open("parent", options));
  tree.kill("parent");
  await run(tree, await tree.open("parent", options));
  assert.deepEqual(
    (await results(tree, "parent")).slice(2).map(({ summary, content }) => [summary, content]),
    [
      ["Pod a is stopped: 1 new answer.", "It is mended."],
      ["Pod a is stopped: nothing new since it was read last.", undefined],
    ],
  );
});

test("A2-51: an answer longer than one read may be comes in two, the first with how much is missing; one of just that length is whole", async () => {
  for (const over of [0, 1]) {
    const text = "é".repeat(podOutputBytesMax / 2) + "x".repeat(over);
    const tree = new SimulatedTree();
    tree.behaviour.set("a", { open: { scenario: JSON.stringify({ steps: [{ text }] }) } });
    const read = of("ReadPodOutput", { name: "a" });
    const parent = await tree.open("parent", withTools(scenarioOf([[spawn("a")]], [[read], [read]])));
    await run(tree, parent);
    await atRest(tree, "a");
    await run(tree, parent);
    const [, first, second] = await results(tree, "parent");
    const { content = "", is_error } = first ?? {};
    assert.ok(is_error !== true && utf8Length(content) <= podOutputBytesMax);
    if (over === 0) assert.deepEqual([content, second?.content], [text, undefined]);
    else {
      const [, kept = "", left] =
        /^(é+)\n\[(\d+) more bytes of this answer come with the next read\.\]$/.exec(content) ?? [];
      assert.equal(utf8Length(kept) + Number(left), podOutputBytesMax + over);
      assert.equal(kept + (second?.content ?? ""), text);
      assert.match(first?.summary ?? "", /More waits: read again\.$/);
    }
  }
});

test("A2-60: pod_management in a Pod is these functions and no way to anything of it", async () => {
  const tree = new SimulatedTree();
  const handed: unknown[] = [];
  const authority = { authority: { kind: "pod_management" as const }, required: true, reason: "For a test." };
  const spy = moduleOf(descriptorOf("builtin:spy", { authorities: [authority] }), ({ handles }) => {
    handed.push(handles.pods);
  });
  const third = moduleOf(descriptorOf("user:spy", { authorities: [authority] }), ({ handles }) => {
    handed.push(handles.pods);
  });
  const parent = await tree.open("parent", { features: () => [spy, third] });
  assert.deepEqual(parent.pod.features.map(({ feature, status }) => [feature, status]).slice(-2), [
    ["builtin:spy", "installed"],
    ["user:spy", "skipped"],
  ]);
  assert.equal(handed.length, 1);
  const reached = reach(handed[0], "pods");
  assert.equal(reached.length, 8);
  assert.deepEqual(faultsOf(reached), []);
});

test("without children of its own a process has no Pod tools, and says why", async () => {
  const tree = new SimulatedTree();
  const { pod } = await tree.open("parent", { ...withTools("steps: []"), hosted: false });
  const [report] = pod.features;
  assert.deepEqual([report?.status, report?.tools], ["skipped", []]);
  assert.match(JSON.stringify(report), /takes no clients, so it has no children/);
});

/** A parent that spawns, and dies before the change of its log for which `dies` says so; calls of its log count from 1, `isAtWork` is the child. */
async function spawning(scenario: string, dies: (nth: number, isAtWork: boolean) => boolean) {
  const tree = new SimulatedTree();
  const seen = { begun: 0, logCalls: 0, logCallsAtBegin: 0 };
  const began = () => {
    seen.begun += 1;
    seen.logCallsAtBegin = seen.logCalls;
  };
  tree.behaviour.set("a", { open: { ...child, began } });
  const parent = await tree.open("parent", withTools(scenario));
  const { segment } = parent.pod.snapshot;
  parent.process.killAt = ({ path }) => {
    if (!path.includes(segment)) return null;
    seen.logCalls += 1;
    return dies(seen.logCalls, (tree.find("a")?.events.length ?? 0) > 0) ? "before" : null;
  };
  await run(tree, parent);
  return { tree, seen, isDead: parent.process.isDead };
}

/** The next owner of the parent, to the end of a run. */
async function afterwards(tree: SimulatedTree, scenario: string) {
  await run(tree, await tree.open("parent", withTools(scenario)));
  const [spawned, listed, again] = await results(tree, "parent");
  const pods = podsIn(listed?.content).map(({ pod_name, loan }) => `${String(pod_name)} ${String(loan)}`);
  return { spawned: [spawned?.summary, spawned?.is_error], pods, again };
}

const crashing = scenarioOf([[spawn("a")], [of("ListPods")], [spawn("a")]]);

test("a parent that dies between a spawn and its result: the outcome is unknown, nothing is spawned again, and ListPods tells the truth", async () => {
  const { tree, seen, isDead } = await spawning(crashing, (_, isAtWork) => isAtWork);
  assert.deepEqual([isDead, seen.begun, await results(tree, "parent")], [true, 1, []]);
  const { spawned, pods, again } = await afterwards(tree, crashing);
  assert.deepEqual(spawned, ["outcome unknown, check before repeating", true]);
  assert.deepEqual(pods, ["parent null", "a open"]);
  // What the model asks for once more is refused: there is one child of the name, and it was begun once.
  assert.deepEqual([again?.is_error, seen.begun], [true, 1]);
});

test("a parent that dies before the start of a spawn is on record has begun nothing, and nothing is begun by itself (control: without its death, one is)", async () => {
  const control = await spawning(crashing, () => false);
  assert.deepEqual([control.isDead, control.seen.begun], [false, 1]);
  assert.match((await results(control.tree, "parent"))[0]?.summary ?? "", /^Pod a was started/);
  // The last batch before the child begins is the start of the call: one write and one sync.
  const start = control.seen.logCallsAtBegin - 1;
  const { tree, seen, isDead } = await spawning(crashing, (nth) => nth === start);
  assert.deepEqual([isDead, seen.begun], [true, 0]);
  const { spawned, pods, again } = await afterwards(tree, crashing);
  assert.deepEqual(spawned, ["not executed", true]);
  assert.deepEqual(pods, ["parent null"]);
  assert.match(again?.summary ?? "", /^Pod a was started/);
  assert.equal(seen.begun, 1);
});
