/** Inputs that wait over a rewind, a fork, a compaction and a restart. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { entryId, flattenInput, idOf, podName, segmentId } from "@yoi/base";
import { forkPod, type Pod } from "../../src/index.ts";
import { openParts, type Parts, spoken } from "../../../../test/inbox/parts.ts";
import { planSegment, withIds } from "../../src/history/segment-plan.ts";
import { carriedProjection } from "../../src/rewind/plan-fork.ts";
import { memoryHost, type MemoryHost } from "@yoi/host";
import { said, Scene } from "./scene.ts";

const later = (text: string, when: "boundary" | "run_end" = "run_end") => ({
  parts: [{ type: "text", text }] as const,
  submission: text,
  when,
});

async function waiting(scene: Scene, name = podName("sim")) {
  const { queue, queueHeld } = await scene.state(await scene.active(name));
  return { queue: queue.map((one) => [idOf(one), flattenInput(one.parts)]), held: queueHeld };
}

/** One input is answered; nothing begins by itself. */
async function answered(): Promise<{ scene: Scene; pod: Pod; ids: readonly string[] }> {
  const scene = new Scene();
  const pod = await scene.open({ beginsOwnRuns: false });
  await scene.say(pod, "do one");
  const ids: string[] = [];
  for (const text of ["a", "b"]) ids.push((await scene.driven(pod.queue(later(text)))).id);
  return { scene, pod, ids };
}

test("a rewind keeps what waits, for the user, under its ids; a fork takes none; a restart changes nothing", async () => {
  const { scene, pod, ids } = await answered();
  const [a = "", b = ""] = ids;
  const both = [
    [a, "a"],
    [b, "b"],
  ];
  assert.deepEqual(await waiting(scene), { queue: both, held: false });
  await scene.driven(pod.rewind({ id: "6", side: "before" }));
  assert.deepEqual(await waiting(scene), { queue: both, held: true });
  assert.deepEqual(pod.snapshot.queued, 2);

  const fork = podName("fork");
  const { ids: machine } = scene.host;
  await scene.driven(
    forkPod(scene.stores, { source: "sim", name: fork, target: null, ids: machine, version: "0" }),
  );
  assert.deepEqual(await waiting(scene, fork), { queue: [], held: false });

  // Its old id finds it in the new segment.
  assert.deepEqual(await scene.driven(pod.unqueue(a)), later("a").parts);
  await scene.driven(pod.close());
  const next = await scene.open();
  await scene.host.advance(60_000);
  assert.deepEqual([await waiting(scene), next.snapshot.state], [{ queue: [[b, "b"]], held: true }, "idle"]);
  await assert.rejects(scene.driven(next.unqueue(a)), { code: "target_unknown" });
  assert.deepEqual(await scene.driven(next.queue(later("b"))), { duplicate: true, id: b });
  const { outcome } = await scene.driven(next.resume());
  assert.equal(outcome.kind, "finished");
  assert.deepEqual((await waiting(scene)).queue, []);
  assert.equal(said(await scene.state()).filter((line) => line.endsWith("user: b")).length, 1);
  await scene.driven(next.close());
});

test("what was given to a run that went on can be gone back before, and the run goes on without it", async () => {
  const scene = new Scene({
    scenario: JSON.stringify({
      steps: [
        { delay_ms: 100, tool_calls: [{ name: "Effect", arguments: { what: "one" } }] },
        { text: "With it." },
        { text: "Without it." },
      ],
    }),
  });
  const pod = await scene.open();
  const running = pod.submit([{ type: "text", text: "go" }]);
  await scene.host.advance(50);
  await scene.driven(pod.queue(later("steer", "boundary")));
  await scene.driven(running);
  const steered = (await scene.log()).find((entry) => entry.kind === "user_input" && entry.seq > 6);
  const back = await scene.driven(pod.rewind({ id: String(steered?.seq), side: "before" }));
  assert.deepEqual(back.input, later("steer").parts);
  assert.deepEqual((await waiting(scene)).queue, [], "it was given: it is the user's to give again");
  assert.deepEqual(
    said(await scene.state()).map((line) => line.replace(/^\S+ /, "")),
    ["user: go", "call: Effect", "result: did one", "lineage: host"],
  );
  assert.equal(pod.snapshot.state, "paused");
  await scene.driven(pod.close());
});

/** History goes on in another segment, as behind a compaction. */
function goOn({ rotator }: Parts, { ids }: MemoryHost): Promise<void> {
  return rotator.rotate(({ ref, head, state }) => {
    const origin = { segment_id: ref.segment, seq: head.seq, sum: head.sum };
    return planSegment({
      segment: segmentId(ids.uuidV7()),
      from: "compacted_from",
      origin,
      left: origin,
      at: state,
      now: state,
      items: withIds(state.items),
      started: [],
      states: state.states,
      projection: carriedProjection(state),
      measured: state.measured,
      inbox: state.inbox,
      behind: [],
    });
  });
}

test("what is taken back while history moves to another segment is taken back there, and nothing else is", async () => {
  for (let turns = 0; turns < 40; turns += 1) {
    const host = memoryHost({ seed: 4 });
    const scenario = JSON.stringify({ steps: [{ text: "One." }] });
    const parts = await openParts({ host, scenario });
    await parts.queue("a", "run_end");
    const { id } = await parts.queue("b", "run_end");
    await parts.queue("c", "run_end");
    const rotated = goOn(parts, host);
    for (let n = 0; n < turns; n += 1) await Promise.resolve();
    await parts.unqueue(id);
    await rotated;
    const texts = parts.gate.state.queue.map((one) => flattenInput(one.parts));
    assert.deepEqual(texts, ["a", "c"], `after ${turns}`);
    await parts.close();
  }
});

test("one of more than a megabyte waits, is carried and is given back as it was", async () => {
  const { scene, pod } = await answered();
  const large = later(`${"large ".repeat(200_000)}.`);
  const { id } = await scene.driven(pod.queue({ ...large, submission: "large" }));
  await scene.driven(pod.rewind({ id: "6", side: "before" }));
  await scene.driven(pod.close());
  const next = await scene.open();
  assert.deepEqual(await scene.driven(next.unqueue(id)), large.parts);
  await scene.driven(next.close());
});

test("a compaction carries what waits on as it waits: held or not", async () => {
  for (const isHeld of [false, true]) {
    const host = memoryHost({ seed: 4 });
    const scenario = JSON.stringify({
      steps: [{ text: "One.", delay_ms: 100 }, { text: "Two." }, { text: "Three." }],
    });
    const parts = await openParts({ host, scenario, beginsOwnRuns: isHeld });
    const { gate } = parts;
    if (isHeld) {
      const running = parts.submit("never");
      await host.advance(50);
      await parts.queue("a", "run_end");
      parts.drive.stop("cancel");
      await host.advance(100);
      await running;
    } else await parts.queue("a", "run_end");
    const [before] = gate.state.queue;
    await goOn(parts, host);
    const [now] = gate.state.queue;
    assert.ok(before !== undefined && now !== undefined);
    assert.deepEqual([idOf(now), gate.state.queueHeld], [entryId(0, before.seq), isHeld]);
    assert.notEqual(now.seq, before.seq);
    const resumed = parts.drive.resume({ timeoutMs: null });
    await host.advance(1_000);
    await resumed;
    assert.deepEqual(spoken(gate.state), ["user: a", "model: One."]);
    await parts.close();
  }
});
