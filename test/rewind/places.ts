/** A random session, taken to random places of its whole life, again and again: what is there is what was there, and what was promised is kept. */
import assert from "node:assert/strict";
import { canonicalJson, idOf, type LogEntry } from "@yoi/base";
import { type Pod, verifyPod } from "@yoi/pod";
import { replay, type SegmentRef, type SessionState } from "@yoi/session-store";
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import { openScripted } from "../../packages/model/src/scripted/index.ts";
import { Scene } from "../../packages/pod/test/rewind/scene.ts";

const stepsMax = 40;

type Random = ReturnType<typeof seededRandom>;

function scenarioOf(random: Random): string {
  const call = (index: number) => {
    const subject = `s${index}`;
    const calls = [
      { name: "TaskCreate", arguments: { subject, description: "D." } },
      { name: "Effect", arguments: { what: subject } },
      { name: "Look", arguments: {} },
      { name: "TaskUpdate", arguments: { taskid: 1, status: "inprogress" } },
      { name: "Nowhere", arguments: {} },
    ];
    return calls[random.below(calls.length)];
  };
  const steps = Array.from({ length: stepsMax * 4 }, (_, index) => {
    const kind = random.below(5);
    if (kind < 2) return { text: `Said ${index}.` };
    const calls = Array.from({ length: 1 + random.below(3) }, (_each, at) => call(index * 4 + at));
    return kind === 2 ? { reasoning: "Hm.", tool_calls: calls } : { tool_calls: calls };
  });
  return JSON.stringify({ steps });
}

/** What a model and a run find, without what is told of the going back itself. */
function known({ items, unanswered, turnCount, projection }: SessionState): unknown {
  return {
    items: items
      .filter(({ item }) => item.type !== "system_item" || item.kind !== "lineage")
      .map((one) => [idOf(one), canonicalJson({ ...one.item })]),
    unanswered,
    turnCount,
    pruned: projection.prune_before === null,
  };
}

function runAt({ run }: SessionState): string {
  return run.state === "running"
    ? "paused interrupted"
    : run.state === "paused"
      ? `paused ${run.reason}`
      : "idle";
}

const bodies = ({ items }: SessionState): readonly string[] =>
  items.flatMap(({ item }) =>
    item.type === "system_item" && item.kind === "notification" ? [item.body] : [],
  );

interface Life {
  readonly scene: Scene;
  readonly random: Random;
  /** Segments by generation. */
  readonly segments: Map<number, SegmentRef>;
  /** As they were when they were left. */
  readonly left: Map<string, string>;
  readonly submissions: string[];
  pod: Pod;
}

export async function placesCase(seed: number): Promise<void> {
  const random = seededRandom(seed ^ 0x0e11d2);
  const scenario = scenarioOf(random);
  const scene = new Scene({ scenario, beginsOwnRuns: false }, seed);
  const life: Life = {
    scene,
    random,
    segments: new Map(),
    left: new Map(),
    submissions: [],
    pod: await scene.open(),
  };
  for (let round = 0; round < 3 + random.below(4); round += 1) {
    await work(life);
    await goSomewhere(life);
  }
  const { pod } = life;
  for (const [index, submission] of life.submissions.entries()) {
    const options = { limits: { timeoutMs: null }, submission };
    const again = await scene.driven(pod.begin([{ type: "text", text: `do ${index}` }], options));
    assert.ok(again.duplicate, `${submission} was taken for new`);
  }
  await scene.driven(pod.close());
  const files = await scene.files();
  for (const [path, bytes] of life.left)
    assert.equal(files.get(path), bytes, `${path} changed behind a rewind`);
  const openModel = async () =>
    openScripted({ name: "sim.yaml", text: scenario, ports: { timers: scene.host.timers } });
  const report = await scene.driven(verifyPod(scene.stores, "sim", { wireRequestsMax: 20, openModel }));
  assert.deepEqual(report.problems, []);
}

/** Inputs, notices, restarts. */
async function work(life: Life): Promise<void> {
  const { scene, random, submissions } = life;
  for (let count = random.below(4); count > 0; count -= 1) {
    const kind = random.below(6);
    if (kind === 0) {
      await scene.driven(life.pod.close());
      life.pod = await scene.open();
    } else if (kind < 3) {
      const message = `news ${random.below(1_000_000)}`;
      await scene.driven(life.pod.notify({ source: "user", message }));
    } else if (kind === 3 && life.pod.snapshot.state === "paused") {
      await scene.driven(life.pod.resume());
    } else {
      const submission = `s-${submissions.length}`;
      const parts = [{ type: "text", text: `do ${submissions.length}` }] as const;
      submissions.push(submission);
      const run = await scene.driven(life.pod.begin(parts, { limits: { timeoutMs: null }, submission }));
      assert.ok(!run.duplicate);
      await scene.driven(run.run.ended);
    }
  }
}

async function goSomewhere({ scene, random, segments, left, pod }: Life): Promise<void> {
  const ref = await scene.active();
  const now = await scene.state();
  segments.set(now.generation, ref);
  const generation = random.below(now.generation + 1);
  const at = segments.get(generation);
  if (at === undefined) throw new Error(`segment ${generation} was never seen`);
  const log = await scene.log(at);
  const first = log.findIndex(({ kind }) => kind === "opened");
  const seq = first + random.below(log.length - first);
  const side = random.below(3) === 0 ? "before" : "behind";
  const id = generation === 0 ? `${seq}` : `${generation}-${seq}`;
  const rewound = await scene.driven(
    pod.rewind({ id, side }).catch((error: unknown) => {
      assert.match(String(error), /is at the entry .* already/);
      return null;
    }),
  );
  if (rewound === null) return;
  for (const [path, bytes] of await scene.files()) if (path.includes(ref.segment)) left.set(path, bytes);
  const [keptGeneration, keptSeq] = placeOf(rewound.kept);
  const origin = segments.get(keptGeneration);
  if (origin === undefined) throw new Error(`${rewound.kept} is in no segment`);
  const prefix = replay((await scene.log(origin)).slice(0, keptSeq + 1));
  const state = await scene.state();
  assert.deepEqual(known(state), known(prefix), `seed state at ${id} ${side}`);
  assert.equal(pod.snapshot.state, runAt(prefix).startsWith("paused") ? "paused" : "idle");
  assert.equal(runAt(state), runAt(prefix));
  judgeNotices(now, prefix, state);
  assert.deepEqual(state.spent, now.spent);
  assert.ok(isBehind(await scene.log(origin), keptSeq, keptGeneration === generation ? seq : keptSeq, side));
}

function placeOf(id: string): readonly [generation: number, seq: number] {
  const [first = "", second] = id.split("-");
  return second === undefined ? [0, Number(first)] : [Number(first), Number(second)];
}

/** What was named is kept or not, as was asked; further on only what ends it. */
function isBehind(log: readonly LogEntry[], kept: number, seq: number, side: "behind" | "before"): boolean {
  const written = log.findIndex(({ batch }) => batch !== 0);
  if (side === "before") return kept < seq || kept < (written === -1 ? log.length : written);
  return (
    kept >= seq &&
    log.slice(seq + 1, kept + 1).every(({ kind }) => kind !== "llm_request" && kind !== "invoke")
  );
}

/** None is lost, none is known twice. */
function judgeNotices(now: SessionState, at: SessionState, behind: SessionState): void {
  const told = bodies(behind);
  const waits = behind.inbox.map(({ item }) => item.body);
  const all = [...told, ...waits];
  assert.equal(new Set(all).size, all.length, "a notice is known twice");
  for (const { item } of [...now.inbox, ...at.inbox])
    assert.ok(all.includes(item.body), `${item.body} is lost`);
}
