/** Notices and submissions over a rewind: none is lost, none is told twice, and what came in under a name stays known. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { podName } from "@yoi/base";
import { featureId, type FeatureModule, type NotificationSink } from "@yoi/feature";
import { taskFeature } from "../../../builtin/src/index.ts";
import { forkPod, type Pod } from "../../src/index.ts";
import { descriptorOf } from "../feature/features.ts";
import { said, Scene } from "./scene.ts";

const notice = (message: string, more: object = {}) => ({
  source: "user",
  message,
  submission: message,
  ...more,
});
const eventOf = (message: string) => notice(message, { kind: "pod_event", source: "child" });

/** Texts of what waits, with a mark where it begins no run. */
async function waiting(scene: Scene): Promise<readonly string[]> {
  const { inbox } = await scene.state();
  return inbox.map(({ item, quiet }) => `${item.body}${quiet === true ? " (quiet)" : ""}`);
}

async function told(scene: Scene): Promise<readonly string[]> {
  return said(await scene.state()).filter((line) => /notification|pod_event/.test(line));
}

async function opened(): Promise<{ scene: Scene; pod: Pod }> {
  const scene = new Scene();
  // Nothing begins by itself here: what is accepted waits for the next input.
  const pod = await scene.open({ beginsOwnRuns: false });
  return { scene, pod };
}

test("what waits stays; what was told behind the place waits again, quietly, if it had come in before it or is of a child", async () => {
  const { scene, pod } = await opened();
  await scene.driven(pod.notify(notice("before")));
  const place = pod.snapshot.lastSeq;
  await scene.say(pod, "do one");
  await scene.driven(pod.notify(notice("behind")));
  await scene.driven(pod.notify(eventOf("child ended")));
  await scene.say(pod, "do two");
  await scene.driven(pod.notify(notice("now")));
  assert.deepEqual([await waiting(scene), (await told(scene)).length], [["now"], 3]);

  const back = await scene.driven(pod.rewind({ id: String(place), side: "behind" }));
  assert.equal(back.again, 2);
  assert.deepEqual(await waiting(scene), ["before (quiet)", "child ended (quiet)", "now"]);
  assert.deepEqual(await told(scene), []);

  // Where history knows them again they are told no second time; what it does not know waits.
  const forward = await scene.driven(pod.rewind({ id: back.left, side: "behind" }));
  assert.equal(forward.again, 0);
  assert.deepEqual([await waiting(scene), (await told(scene)).length], [["now"], 3]);

  const again = await scene.driven(pod.rewind({ id: String(place), side: "behind" }));
  assert.equal(again.again, 2);
  await scene.driven(pod.close());
  const next = await scene.open({ beginsOwnRuns: false });
  assert.deepEqual(await waiting(scene), ["before (quiet)", "child ended (quiet)", "now"]);
  await scene.say(next, "do one");
  assert.deepEqual(await waiting(scene), []);
  assert.equal((await told(scene)).length, 3);
  await scene.driven(next.close());
});

test("a notice that waits over a rewind and is told behind it waits again under the id that it always had", async () => {
  const { scene, pod } = await opened();
  await scene.say(pod, "do one");
  const end = pod.snapshot.lastSeq;
  await scene.driven(pod.notify(notice("news")));
  const [first] = (await scene.state()).inbox;
  await scene.driven(pod.rewind({ id: "6", side: "before" }));
  await scene.say(pod, "do one again");
  // It was told in the second segment, under another seq than in the first.
  assert.deepEqual(await waiting(scene), []);
  await scene.driven(pod.rewind({ id: String(first?.seq), side: "behind" }));
  const state = await scene.state();
  assert.deepEqual(
    state.inbox.map(({ id, item, quiet }) => [id, item.body, quiet]),
    [[String(end + 1), "news", true]],
  );
  await scene.driven(pod.close());
});

test("a submission of what was left behind is still a repeat, and so is a notice's", async () => {
  const { scene, pod } = await opened();
  const parts = [{ type: "text", text: "do one" }] as const;
  const options = { limits: { timeoutMs: null }, submission: "s-1" };
  const first = await scene.driven(pod.begin(parts, options));
  assert.ok(!first.duplicate);
  await scene.driven(first.run.ended);
  await scene.driven(pod.notify(notice("news")));
  await scene.driven(pod.rewind({ id: "6", side: "before" }));
  const repeat = await scene.driven(pod.begin(parts, options));
  assert.equal(repeat.duplicate, true);
  assert.equal((await scene.driven(pod.notify(notice("news")))).duplicate, true);
  assert.deepEqual(await waiting(scene), ["news"]);
  await assert.rejects(scene.driven(pod.begin([{ type: "text", text: "other" }], options)), {
    code: "submission_conflict",
  });
  await scene.driven(pod.close());
});

describe("what a feature tells, keeping how far it has told", () => {
  const id = featureId("builtin:watch");

  /** Tells what it is given, and asks how far it has. */
  function watch() {
    const kept: { sink: NotificationSink | null } = { sink: null };
    const module: FeatureModule = {
      descriptor: descriptorOf(id, {
        authorities: [{ authority: { kind: "model_notification" }, required: true, reason: "For a test." }],
      }),
      install: ({ notifications }) => void (kept.sink = notifications),
    };
    const sink = () => kept.sink ?? assert.fail("it is not installed");
    return {
      module,
      sink,
      tell: (n: number) => sink().notifyModel(`news ${n}`, { key: `${n}`, position: n }),
    };
  }

  test("goes back with nothing lost and nothing told twice: what was told behind the place waits again, and the position stays", async () => {
    const scene = new Scene();
    const { module, sink, tell } = watch();
    const pod = await scene.open({ beginsOwnRuns: false, features: [taskFeature(), module] });
    await scene.driven(tell(1));
    await scene.say(pod, "do one");
    const place = pod.snapshot.lastSeq;
    await scene.driven(tell(2));
    await scene.say(pod, "do two");
    await scene.driven(tell(3));
    const back = await scene.driven(pod.rewind({ id: String(place), side: "behind" }));
    assert.deepEqual([await waiting(scene), sink().position()], [["news 2 (quiet)", "news 3"], 3]);
    // A repeat says nothing again.
    await scene.driven(tell(2));
    await scene.driven(tell(3));
    assert.deepEqual(await waiting(scene), ["news 2 (quiet)", "news 3"]);
    await scene.driven(pod.rewind({ id: back.left, side: "behind" }));
    assert.deepEqual([await waiting(scene), (await told(scene)).length], [["news 3"], 2]);
    await scene.driven(pod.close());
  });

  test("goes with a fork as history has it: what waits at the place is told there too, and what came behind it is told from the position", async () => {
    const scene = new Scene();
    const { module, tell } = watch();
    const features = [taskFeature(), module];
    const pod = await scene.open({ beginsOwnRuns: false, features });
    await scene.driven(tell(1));
    await scene.say(pod, "do one");
    await scene.driven(tell(2));
    await scene.driven(pod.notify(notice("not of a feature")));
    const target = { id: String(pod.snapshot.lastSeq), side: "behind" } as const;
    await scene.driven(tell(3));
    const name = podName("fork");
    const { ids } = scene.host;
    await scene.driven(forkPod(scene.stores, { source: "sim", name, target, ids, version: "0.0.0-sim" }));
    await scene.driven(pod.close());
    const other = watch();
    const forked = await scene.open({
      name,
      beginsOwnRuns: false,
      features: [taskFeature(), other.module],
    });
    const { inbox } = await scene.state(await scene.active(name));
    assert.deepEqual([inbox.map(({ item }) => item.body), other.sink().position()], [["news 2"], 2]);
    // It has names of its own.
    await scene.driven(other.tell(3));
    const state = await scene.state(await scene.active(name));
    assert.deepEqual(
      state.inbox.map(({ item }) => item.body),
      ["news 2", "news 3"],
    );
    await scene.driven(forked.close());
  });
});
