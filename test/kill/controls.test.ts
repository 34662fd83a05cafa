/** Controls of the kill tests: a runtime that loses, repeats, invents or leaves something running does not pass their oracle. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import test from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { eventually } from "../support/processes.ts";
import { addedBlocks } from "../support/wire-blocks.ts";
import { committedBytes, findLog, type LogLine, linesOf } from "../support/stored-log.ts";
import { checkStory, type Story } from "./oracle.ts";
import { makePlan } from "./plan.ts";
import { Scene } from "./scene.ts";
import { storyOf } from "./survive.ts";

/** What a log without its last synced lines is: the end is taken off, from the last line that `from` names. */
function forget(scene: Scene, from: (line: LogLine) => boolean): void {
  const bytes = committedBytes(scene.home.home);
  const kept = linesOf(bytes).findLastIndex(from);
  assert.ok(kept > 0, "there is something to forget");
  const lines = bytes.toString("utf8").split("\n").slice(0, kept);
  writeFileSync(findLog(scene.home.home) ?? "", `${lines.join("\n")}\n`);
}

/** The story without what it says of earlier logs: that would be found at once, and the rest would not be tried. */
function withoutLogs(scene: Scene): Story {
  return storyOf(scene, { logs: scene.logs.slice(-1) });
}

test("a result that the model has seen and that is gone after the resume is found", async () => {
  let kill = (): void => {};
  await using scene = await Scene.open({
    plan: makePlan({ waitsIn: null }),
    sandbox: "off",
    onSeen: (_, at) => at === 3 && kill(),
  });
  kill = () => scene.kill();
  scene.start();
  await scene.ended();
  forget(scene, ({ kind }) => kind === "tool_result");
  await scene.finish();
  assert.throws(() => checkStory(storyOf(scene)), /the log of process 0 was not kept to the byte/);
  assert.throws(() => checkStory(withoutLogs(scene)), /request 3 has no record of its own/);
  const [before, after] = scene.seen.slice(3).map(({ blocks }) => blocks);
  assert.throws(() => addedBlocks(before ?? [], after ?? []), /is not what the model saw/);
});

test("a call that is run again is found by its effect", async () => {
  const waitCommand = "{ test -e again || { touch again; sleep 300; }; }";
  const plan = makePlan({ waitsIn: 2, waitCommand });
  await using scene = await Scene.open({ plan, sandbox: "off" });
  scene.start();
  await eventually("the command waits", () => existsSync(`${scene.home.workspace}/again`), 20_000);
  scene.kill();
  await scene.ended();
  await scene.nothingAlive();
  forget(scene, ({ kind }) => kind === "tool_started");
  await scene.finish();
  assert.throws(() => checkStory(withoutLogs(scene)), /effect of step 2 \(step 2\) happened 2 times/);
});

test("doctored stories are found: repeated, reordered, dropped, unexplained, told and unknown", async () => {
  await using scene = await Scene.open({ plan: makePlan({ waitsIn: null }), sandbox: "off" });
  await scene.finish();
  const story = storyOf(scene);
  checkStory(story);
  const { seen } = story;
  const last = seen.at(-1);
  assert.ok(last !== undefined);
  const { blocks } = last;
  const endingWith = (blocksOfLast: typeof blocks) => ({
    seen: [...seen.slice(0, -1), { ...last, blocks: blocksOfLast }],
  });
  const note = {
    role: "user",
    type: "text",
    fields: { type: "text", text: '<yoi-note id="1" kind="interrupt" source="host">' },
  };
  const output = story.processes[0]?.stderr ?? "";
  const rows: readonly [string, Partial<Story>, RegExp][] = [
    ["a result twice", endingWith([...blocks, ...blocks.slice(-1)]), /no note follows/],
    [
      "an earlier block changed",
      endingWith(blocks.with(4, { ...blocks[4], role: "user", type: "text", fields: {} })),
      /block 4 of/,
    ],
    [
      "two blocks in another order",
      endingWith([...blocks.slice(0, -2), ...blocks.slice(-2).toReversed()]),
      /in one piece/,
    ],
    ["the last result gone", endingWith(blocks.slice(0, -1)), /one result each/],
    ["a note that nothing explains", endingWith([...blocks, note]), /a note without a kill/],
    [
      "another head",
      { seen: [...seen.slice(0, -1), { ...last, head: { ...last.head, system: "" } }] },
      /another head/,
    ],
    [
      "sent before it was recorded",
      { seen: [...seen.slice(0, -1), { ...last, recordedBefore: false }] },
      /not in the log/,
    ],
    [
      "sent without a record",
      { seen: [...seen.slice(0, -1), { ...last, sha256: "0" }] },
      /no record of its own/,
    ],
    ["an effect too many", { effects: [...story.effects, ...story.effects.slice(-1)] }, /happened 2 times/],
    ["an effect too few", { effects: story.effects.slice(1) }, /happened 0 times/],
    ["a stranger's effect", { effects: [...story.effects, "boo"] }, /nobody asked for/],
    [
      "told and not seen",
      { processes: [{ stdout: "", stderr: `${output}\r\u001b[K✓ Bash: $ rm everything\n` }] },
      /a client was told/,
    ],
    ["told twice", { processes: [{ stdout: "", stderr: output.repeat(2) }] }, /a client was told/],
    [
      "printed and not on record",
      { processes: [{ stdout: "something else\n", stderr: "" }] },
      /printed and not in the log/,
    ],
  ];
  for (const [what, changes, expected] of rows) {
    assert.throws(() => checkStory({ ...story, ...changes }), expected, what);
  }
});

const escapes = "setsid sh -c 'touch escaped; exec sleep 300' & sleep 300";

test("a process that left its group is seen as left, and the next owner of the Pod ends it", async () => {
  await using scene = await Scene.open({
    plan: makePlan({ waitsIn: 0, waitCommand: `{ ${escapes}; }` }),
    sandbox: "off",
  });
  scene.start();
  await eventually("a process has escaped", () => existsSync(`${scene.home.workspace}/escaped`), 20_000);
  scene.kill();
  await scene.ended();
  await eventually("only what escaped is left", () => new Set(scene.alive()).size === 1, 10_000);
  await scene.finish();
  await scene.nothingAlive();
  assert.match(
    scene.processes.at(-1)?.stderr ?? "",
    /Ended 1 process\(es\) that an earlier owner of this Pod had left running/,
  );
  checkStory(storyOf(scene));
});

test(
  "with the sandbox even a process that left its group dies with the Pod",
  { skip: noBubblewrap() },
  async () => {
    await using scene = await Scene.open({
      plan: makePlan({ waitsIn: 0, waitCommand: `{ ${escapes}; }` }),
      sandbox: "on",
    });
    scene.start();
    await eventually("a process has escaped", () => existsSync(`${scene.home.workspace}/escaped`), 20_000);
    scene.kill();
    await scene.ended();
    await scene.nothingAlive();
  },
);
