/** Rewinding: history goes on from the place, what was promised goes on whatever becomes of history, and no old log changes. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SystemItem } from "@yoi/base";
import { type Pod, verifyPod } from "../../src/index.ts";
import { openScripted } from "../../../model/src/scripted/index.ts";
import { movedNote, namedMax } from "../../src/rewind/lineage-note.ts";
import { previewCharsMax } from "../../src/rewind/list-targets.ts";
import { said, scenario, Scene } from "./scene.ts";

/** What the model knows behind the first input of the scene. */
const first = [
  "6 user: do one",
  "8 call: TaskCreate",
  "9 call: Effect",
  "14 result: did one",
  "15 result: created task 1 (pending)\nTasks: 1 total, 1 pending, 0 inprogress, 0 completed, 0 deleted",
  "17 model: One is done.",
];
const idle = { limit: 50 };

async function twoInputs() {
  const scene = new Scene();
  const pod = await scene.open();
  await scene.say(pod, "do one");
  await scene.say(pod, "do two");
  return { scene, pod };
}

async function verified(scene: Scene): Promise<void> {
  const openModel = async () =>
    openScripted({ name: "sim.yaml", text: scenario, ports: { timers: scene.host.timers } });
  const report = await scene.driven(verifyPod(scene.stores, "sim", { wireRequestsMax: 500, openModel }));
  assert.deepEqual(report.problems, []);
}

describe("a session that went two inputs far", () => {
  test("goes back to before the second one, and on from there; the log that it left does not change", async () => {
    const { scene, pod } = await twoInputs();
    const before = await scene.state();
    const files = await scene.files();
    const { head, targets } = await scene.driven(pod.rewindTargets(idle));
    assert.deepEqual(
      targets.map(({ id, side, kind, turn, preview, effects }) => [id, side, kind, turn, preview, effects]),
      [
        ["38", "behind", "turn", 4, "Two is done.", 0],
        ["34", "behind", "turn", 3, "TaskCreate, Effect, Look", 0],
        ["22", "before", "input", 2, "do two", 1],
        ["19", "behind", "turn", 2, "One is done.", 1],
        ["15", "behind", "turn", 1, "TaskCreate, Effect", 1],
        ["6", "before", "input", 0, "do one", 2],
      ],
    );
    const rewound = await scene.driven(pod.rewind({ id: "22", side: "before", expectedHead: head }));
    const { segment: _, ...told } = rewound;
    assert.deepEqual(told, {
      generation: 1,
      kept: "20",
      left: "39",
      turns: 2,
      input: [{ type: "text", text: "do two" }],
      effects: 1,
      touched: [],
      files: [],
      filesLost: 0,
      again: 0,
    });
    const state = await scene.state();
    assert.deepEqual(said(state), [...first, "1-11 lineage: host"]);
    assert.deepEqual(state.run, { state: "idle" });
    assert.deepEqual(state.spent, before.spent);
    assert.deepEqual(state.calibration, before.calibration);
    assert.equal(pod.snapshot.state, "idle");
    // There is nothing to go on with: the note asks for nothing.
    await assert.rejects(pod.resume(), { code: "nothing_to_resume" });

    await scene.say(pod, "do it otherwise");
    const now = await scene.state();
    // The second task is the second one again: the feature knows nothing of the one that was left.
    assert.match(said(now).at(-2) ?? "", /^1-\d+ result: created task 2 .*\nTasks: 2 total/);
    await scene.driven(pod.close());
    for (const [path, bytes] of files) assert.equal((await scene.files()).get(path), bytes);
    await verified(scene);

    const again = await scene.open();
    assert.deepEqual(said(await scene.state()), said(now));
    await scene.driven(again.close());
  });

  test("goes forward to what it left, which undoes it; and back and forward again", async () => {
    const { scene, pod } = await twoInputs();
    const whole = said(await scene.state());
    const back = await scene.driven(pod.rewind({ id: "22", side: "before" }));
    const forward = await scene.driven(pod.rewind({ id: back.left, side: "behind" }));
    assert.deepEqual([forward.turns, forward.left, forward.generation], [4, "1-11", 2]);
    const undone = await scene.state();
    assert.deepEqual(said(undone).slice(0, -1), whole);
    assert.deepEqual(undone.run, { state: "idle" });
    // A place in an earlier segment, by an id that three segments carry.
    const third = await scene.driven(pod.rewind({ id: "17", side: "behind" }));
    assert.deepEqual([third.kept, third.turns, third.generation], ["20", 2, 3]);
    assert.deepEqual(said(await scene.state()).slice(0, -1), first);
    // What lies on a branch that was left says so.
    const { targets } = await scene.driven(pod.rewindTargets(idle));
    assert.deepEqual(
      targets.map(({ id, effects }) => [id, effects]),
      [
        ["38", null],
        ["34", null],
        ["22", null],
        // What was done on the branch that was left stands too.
        ["19", 1],
        ["15", 1],
        ["6", 2],
      ],
    );
    await scene.driven(pod.close());
    await verified(scene);
  });

  test("whoever watches a paused one hears that it is idle where it went back to, and paused again where it was left", async () => {
    const { scene, pod: first } = await twoInputs();
    await scene.driven(first.close());
    const states: string[] = [];
    const pod: Pod = await scene.open({
      observer: (event) => {
        if (event.type === "state") states.push(event.state);
        if (event.type === "request_recorded") pod.interrupt();
      },
    });
    const { outcome } = await scene.driven(pod.submit([{ type: "text", text: "do three" }]));
    assert.equal(outcome.kind, "paused");
    const { left } = await scene.driven(pod.rewind({ id: "22", side: "before" }));
    await scene.driven(pod.rewind({ id: left, side: "behind" }));
    assert.deepEqual(states, ["running", "paused", "running", "idle", "running", "paused"]);
    await scene.driven(pod.close());
  });

  test("the model is told what stands: effects, and nothing where there are none", async () => {
    const { scene, pod } = await twoInputs();
    const noteOf = async (): Promise<SystemItem | undefined> =>
      (await scene.state()).items
        .map(({ item }) => item)
        .findLast((item): item is SystemItem => item.type === "system_item" && item.kind === "lineage");
    await scene.driven(pod.rewind({ id: "34", side: "behind" }));
    assert.match((await noteOf())?.body ?? "", /no change that was made since is known/);
    await scene.driven(pod.rewind({ id: "6", side: "before" }));
    assert.match((await noteOf())?.body ?? "", /\(2 calls or commands that can have effects\)/);
    assert.deepEqual(said(await scene.state()).slice(0, -1), []);
    assert.equal(pod.snapshot.state, "idle");
    await scene.say(pod, "begin anew");
    await scene.driven(pod.close());
  });

  test("what was done on a branch that was left before is not forgotten by a second rewind", async () => {
    const { scene, pod } = await twoInputs();
    const first = await scene.driven(pod.rewind({ id: "22", side: "before" }));
    const second = await scene.driven(pod.rewind({ id: "17", side: "before" }));
    assert.deepEqual([first.effects, second.effects], [1, 1]);
    const note = (await scene.state()).items.at(-1)?.item;
    assert.match(
      note?.type === "system_item" ? note.body : "",
      /\(1 call or command that can have effects\)/,
    );
    const third = await scene.driven(pod.rewind({ id: "6", side: "before" }));
    assert.equal(third.effects, 2);
    await scene.driven(pod.close());
  });

  test("is not taken to where it is already, and is once something came of that", async () => {
    const { scene, pod } = await twoInputs();
    const request = { id: "22", side: "before" } as const;
    await scene.driven(pod.rewind(request));
    const refusal = { code: "rewind_refused", message: /at the entry 20 already/ };
    await assert.rejects(scene.driven(pod.rewind(request)), refusal);
    await scene.driven(pod.close());
    const again = await scene.open();
    await assert.rejects(scene.driven(again.rewind(request)), refusal);
    await scene.say(again, "do it otherwise");
    assert.equal((await scene.driven(again.rewind(request))).kept, "20");
    await scene.driven(again.close());
  });

  test("places are listed in pages, and n and n + 1 of them say whether there are more", async () => {
    const { scene, pod } = await twoInputs();
    const ids = async (limit: number, olderThan?: string) => {
      const more = olderThan === undefined ? {} : { olderThan };
      const listed = await scene.driven(pod.rewindTargets({ limit, ...more }));
      return [listed.targets.map(({ id }) => id), listed.more];
    };
    assert.deepEqual(await ids(6), [["38", "34", "22", "19", "15", "6"], false]);
    assert.deepEqual(await ids(5), [["38", "34", "22", "19", "15"], true]);
    assert.deepEqual(await ids(2, "22"), [["19", "15"], true]);
    await assert.rejects(ids(2, "x"), { code: "target_unknown" });
    await scene.driven(pod.close());
  });

  test("a preview, and what a note names, end at their limits", async () => {
    const previewOf = async (chars: number) => {
      const scene = new Scene();
      const pod = await scene.open();
      await scene.say(pod, "p".repeat(chars));
      const { targets } = await scene.driven(pod.rewindTargets(idle));
      await scene.driven(pod.close());
      return targets.at(-1)?.preview;
    };
    assert.equal(await previewOf(previewCharsMax), "p".repeat(previewCharsMax));
    assert.equal(await previewOf(previewCharsMax + 1), `${"p".repeat(previewCharsMax - 1)}…`);
    const noteOf = (count: number) => {
      const children = Array.from({ length: count }, (_, index) => `c${index}`);
      const { item } = movedNote({ effects: 0, changed: [], putsBack: false, children });
      return item.body;
    };
    assert.match(noteOf(namedMax), /, c19\.$/);
    assert.match(noteOf(namedMax + 1), /, c19 and 1 more\.$/);
  });

  test("what cannot be done is refused, and changes nothing", async () => {
    const { scene, pod } = await twoInputs();
    const files = await scene.files();
    const rows = [
      [{ id: "39", side: "behind" }, "rewind_refused", /already: there is nothing behind it/],
      [{ id: "37", side: "behind" }, "rewind_refused", /at the entry 39 already/],
      [{ id: "40", side: "behind" }, "target_unknown", /There is no entry 40/],
      [{ id: "3-1", side: "before" }, "target_unknown", /There is no entry 3-1/],
      [{ id: "last", side: "behind" }, "target_unknown", /is no entry's id/],
      [
        { id: "22", side: "before", expectedHead: "38" },
        "rewind_refused",
        /its last entry is 39 now, not 38/,
      ],
    ] as const;
    for (const [request, code, message] of rows)
      await assert.rejects(scene.driven(pod.rewind(request)), { code, message });
    const running = pod.submit([{ type: "text", text: "more" }]);
    await assert.rejects(pod.rewind({ id: "22", side: "before" }), { code: "already_running" });
    await scene.driven(running);
    await scene.driven(pod.close());
    await assert.rejects(scene.driven(pod.rewind({ id: "22", side: "before" })), { code: "cancelled" });
    assert.deepEqual([...(await scene.files()).keys()], [...files.keys()]);
  });
});

describe("a place in the middle of a run", () => {
  test("behind a call that had not started: it is judged again and runs when the run is resumed", async () => {
    const { scene, pod } = await twoInputs();
    await scene.driven(pod.rewind({ id: "9", side: "behind" }));
    const state = await scene.state();
    // With what ends the answer.
    assert.deepEqual([pod.snapshot.state, state.turnCount], ["paused", 1]);
    assert.deepEqual(
      state.unanswered.map(({ name, started }) => [name, started]),
      [
        ["TaskCreate", false],
        ["Effect", false],
      ],
    );
    assert.equal(scene.world.effects.get("one"), 1);
    const { outcome } = await scene.driven(pod.resume());
    assert.equal(outcome.kind, "finished");
    assert.equal(scene.world.effects.get("one"), 2);
    await scene.driven(pod.close());
    await verified(scene);
  });

  test("behind its start: it is never run again, and its outcome is unknown", async () => {
    const { scene, pod } = await twoInputs();
    await scene.driven(pod.rewind({ id: "13", side: "behind" }));
    const { outcome } = await scene.driven(pod.resume());
    assert.equal(outcome.kind, "finished");
    assert.equal(scene.world.effects.get("one"), 1);
    const results = (await scene.state()).items.flatMap(({ item }) =>
      item.type === "tool_result" ? [item.summary] : [],
    );
    assert.deepEqual(results.slice(0, 2), Array(2).fill("outcome unknown, check before repeating"));
    await scene.driven(pod.close());
  });

  test("in the middle of a text that streams: what had come is kept as cut, and the turn goes on", async () => {
    const steps = [{ text: "A long answer, in pieces.", pace_ms: 300, chunk: 6 }, { text: "To its end." }];
    const scene = new Scene({ scenario: JSON.stringify({ steps: [...steps, { text: "Anew." }] }) });
    const pod = await scene.open();
    await scene.say(pod, "tell me");
    const piece = (await scene.log()).filter(({ kind }) => kind === "assistant_partial").at(1);
    await scene.driven(pod.rewind({ id: String(piece?.seq), side: "behind" }));
    const state = await scene.state();
    assert.deepEqual([pod.snapshot.state, state.partials], ["paused", []]);
    assert.deepEqual(
      said(state).map((line) => line.replace(/^\S+ /, "")),
      ["user: tell me", "model: A long answe", "interrupt: host", "lineage: host"],
    );
    await scene.driven(pod.resume());
    assert.match(said(await scene.state()).at(-1) ?? "", /model: /);
    await scene.driven(pod.close());
  });

  test("in the middle of an answer: the calls of its beginning are not executed", async () => {
    const { scene, pod } = await twoInputs();
    await scene.driven(pod.rewind({ id: "8", side: "behind" }));
    assert.equal(pod.snapshot.state, "paused");
    await scene.driven(pod.resume());
    const results = (await scene.state()).items.flatMap(({ item }) =>
      item.type === "tool_result" ? [item.summary] : [],
    );
    assert.equal(results[0], "not executed");
    await scene.driven(pod.close());
  });
});
