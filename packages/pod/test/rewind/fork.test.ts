/** Forking: another Pod goes on from the logs of the first, which is read and never changed. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { podName, segmentId, sessionId } from "@yoi/base";
import { planFork } from "../../src/rewind/plan-fork.ts";
import { childrenSpentDomain } from "../../src/usage/children-record.ts";
import { forkPod, type ForkRequest, lineageOf, type Pod, targetsOf } from "../../src/index.ts";
import { said, Scene } from "./scene.ts";

const source = "sim";
const fork = podName("fork");

function request(scene: Scene, more: Partial<ForkRequest> = {}): ForkRequest {
  return { source, name: fork, target: null, ids: scene.host.ids, version: "0.0.0-sim", ...more };
}

async function twoInputs(): Promise<{ scene: Scene; pod: Pod }> {
  const scene = new Scene();
  const pod = await scene.open();
  await scene.say(pod, "do one");
  await scene.say(pod, "do two");
  return { scene, pod };
}

describe("a fork", () => {
  test("of a live Pod goes on by itself, from the end or from a place; neither knows of the other's work", async () => {
    const { scene, pod } = await twoInputs();
    const files = await scene.files();
    const whole = await scene.state();
    const made = await scene.driven(forkPod(scene.stores, request(scene)));
    const at = await scene.active(fork);
    const state = await scene.state(at);
    assert.deepEqual(said(state), [...said(whole), `1-${state.lastSeq} lineage: host`]);
    assert.deepEqual(
      [made.kept, made.turns, made.input, made.damage, state.generation, state.left, state.session],
      ["39", 4, null, null, 1, null, made.session],
    );
    assert.notEqual(made.session, whole.session);
    assert.deepEqual([state.origin?.session_id, state.origin?.seq], [whole.session, 39]);
    // What the other used is not used by this one; what the model's provider counted is known.
    assert.equal(state.spent.requests, 0);
    assert.deepEqual(state.calibration, whole.calibration);

    const before = { target: { id: "22", side: "before" }, name: "earlier" } as const;
    const earlier = await scene.driven(forkPod(scene.stores, request(scene, before)));
    assert.deepEqual(
      [earlier.kept, earlier.turns, earlier.input],
      ["20", 2, [{ type: "text", text: "do two" }]],
    );

    const other = await scene.open({ name: podName("earlier") });
    await scene.say(other, "do it otherwise");
    await scene.say(pod, "do three");
    const [mine, others] = [await scene.state(), await scene.state(await scene.active(podName("earlier")))];
    assert.ok(said(mine).every((line) => !line.includes("otherwise")));
    assert.ok(said(others).every((line) => !line.includes("three")));
    // The state of the feature was there: the second task is the second one.
    assert.match(said(others).at(-2) ?? "", /created task 2/);
    await scene.driven(other.close());
    await scene.driven(pod.close());
    for (const [path, bytes] of files) assert.ok((await scene.files()).get(path)?.startsWith(bytes));
  });

  test("keeps the manifest, has no parent, children, peers or notices, and large items of its own", async () => {
    const picture = { type: "image", media_type: "image/png", data: "A".repeat(1_100_000) } as const;
    const scene = new Scene({
      attach: async () => ({
        items: [
          {
            type: "system_item",
            kind: "file_attachment",
            source: "host",
            body: "A picture.",
            images: [picture],
          },
        ],
        warnings: [],
      }),
    });
    const pod = await scene.open({ beginsOwnRuns: false });
    await scene.driven(pod.submit([{ type: "file_ref", path: "a.png" }]));
    await scene.driven(pod.notify({ source: "user", message: "news", submission: "n" }));
    await scene.driven(forkPod(scene.stores, request(scene)));
    const [mine, record] = await Promise.all(
      [source, fork].map((name) => scene.driven(scene.stores.pods.read(podName(name)))),
    );
    assert.deepEqual(record?.manifest, mine?.manifest);
    const { parent, children, peers } = record ?? {};
    assert.deepEqual([parent, children, peers], [null, [], []]);
    const state = await scene.state(await scene.active(fork));
    assert.deepEqual([state.inbox, [...state.submissions], [...state.childCursors]], [[], [], []]);
    // Its session is whole without the other's.
    await scene.driven(pod.close());
    await scene.driven(scene.stores.sessions.removeSession(sessionId(mine?.pointer.session ?? "")));
    const alone = await scene.open({ name: fork, beginsOwnRuns: false });
    const items = (await scene.state(await scene.active(fork))).items.map(({ item }) => item);
    const found = items.find((item) => item.type === "system_item" && item.kind === "file_attachment");
    assert.deepEqual(found?.type === "system_item" && found.images, [picture]);
    await scene.driven(alone.close());
  });

  test("that goes back behind the fork says so of the right entry of the right session", async () => {
    const { scene, pod } = await twoInputs();
    await scene.driven(pod.rewind({ id: "22", side: "before" }));
    await scene.driven(pod.close());
    await scene.driven(forkPod(scene.stores, request(scene)));
    const other = await scene.open({ name: fork });
    await scene.driven(other.rewind({ id: "15", side: "behind" }));
    await scene.driven(other.close());
    const { segments } = await scene.driven(lineageOf(scene.stores, fork));
    const { session } = await scene.active();
    assert.deepEqual(
      segments.map(({ why, from }) => [why, from?.id, from?.session]),
      [
        ["rewound", "15", session],
        ["forked", "1-11", session],
      ],
    );
  });

  test("goes on from a segment that is named, where the metadata is older or the newest log is gone", async () => {
    const { scene, pod } = await twoInputs();
    const older = await scene.driven(scene.stores.pods.read(podName(source)));
    const first = await scene.active();
    await scene.driven(pod.rewind({ id: "22", side: "before" }));
    await scene.say(pod, "do it otherwise");
    await scene.driven(pod.close());
    const newest = await scene.active();
    const whole = await scene.state();
    const now = await scene.driven(scene.stores.pods.read(podName(source)));
    assert.ok(older !== null && now !== null);
    const { pods } = scene.stores;
    await scene.driven(pods.update(podName(source), now, { pointer: older.pointer, closedHead: null }));
    const files = await scene.files();
    await assert.rejects(scene.open(), { code: "log_damaged", message: /fork sim NEW --segment/ });
    assert.deepEqual(await scene.files(), files);
    await scene.driven(forkPod(scene.stores, request(scene, { from: newest.segment })));
    assert.deepEqual(said(await scene.state(await scene.active(fork))).slice(0, -1), said(whole));

    const restored = await scene.driven(pods.read(podName(source)));
    assert.ok(restored !== null);
    await scene.driven(pods.update(podName(source), restored, { pointer: now.pointer }));
    await scene.driven(scene.stores.sessions.removeSegment(newest));
    const list = { limit: 50, isReadOnly: () => false };
    await assert.rejects(targetsOf(scene.stores, source, list), {
      code: "log_damaged",
      message: new RegExp(newest.segment),
    });
    const place = { id: "22", side: "before" } as const;
    const last = podName("last");
    await scene.driven(
      forkPod(scene.stores, request(scene, { name: last, from: first.segment, target: place })),
    );
    assert.equal((await scene.state(await scene.active(last))).turnCount, 2);
    await assert.rejects(
      forkPod(scene.stores, request(scene, { name: podName("no"), from: newest.segment })),
      {
        code: "target_unknown",
      },
    );
  });

  test("has nothing on record of what the other's children used", async () => {
    const { scene, pod } = await twoInputs();
    const whole = await scene.state();
    await scene.driven(pod.close());
    const payload = { sessions: {} };
    const extensions = new Map([
      [childrenSpentDomain, payload],
      ["metrics", payload],
    ]);
    const at = new Proxy(whole, {
      get: (state, key) => (key === "extensions" ? extensions : Reflect.get(state, key, state)),
    });
    const segment = segmentId(scene.host.ids.uuidV7());
    const origin = { segment_id: whole.segment, seq: whole.lastSeq, sum: "0".repeat(16) };
    const { carried } = planFork({ segment, origin, at, behind: [] }, sessionId(scene.host.ids.uuidV7()));
    const domains = carried.flatMap((one) => (one.of === "extension" ? [one.domain] : []));
    assert.deepEqual(domains, ["metrics"]);
  });

  test("of a log that is damaged has what is good before that, and says what is wrong", async () => {
    const { scene, pod } = await twoInputs();
    await scene.driven(pod.close());
    const [path, text] = [...(await scene.files())][0] ?? ["", ""];
    const lines = text.split("\n");
    const damaged = [
      ...lines.slice(0, 30),
      lines[30]?.replace("tool_started", "tool_startled"),
      ...lines.slice(31),
    ];
    await scene.host.files.replace(path, Buffer.from(damaged.join("\n")));
    await assert.rejects(scene.open(), { code: "log_damaged" });
    const made = await scene.driven(forkPod(scene.stores, request(scene)));
    assert.match(made.damage ?? "", /is damaged at line 31/);
    assert.equal(made.kept, "29");
    const behind = { target: { id: "38", side: "behind" }, name: "other" } as const;
    await assert.rejects(scene.driven(forkPod(scene.stores, request(scene, behind))), {
      code: "log_damaged",
      message: /line 31.*before the entry 38: choose a place before that; the 30 entries/,
    });
    const other = await scene.open({ name: fork });
    assert.equal(other.snapshot.state, "paused");
    await scene.driven(other.resume());
    await scene.driven(other.close());
  });

  test("of a fork, and back behind the fork into the other's log", async () => {
    const { scene, pod } = await twoInputs();
    await scene.driven(forkPod(scene.stores, request(scene)));
    const other = await scene.open({ name: fork });
    await scene.say(other, "more");
    await scene.driven(forkPod(scene.stores, request(scene, { source: fork, name: "third" })));
    const third = await scene.state(await scene.active(podName("third")));
    assert.deepEqual([third.generation, third.turnCount], [2, 5]);
    // The places of both, but for what the other did behind the fork.
    await scene.say(pod, "more of the other");
    const { targets } = await scene.driven(other.rewindTargets({ limit: 50 }));
    assert.deepEqual(
      targets.map(({ id, effects }) => [id, effects]),
      [
        ["1-26", 0],
        ["1-22", 0],
        ["38", 0],
        ["34", 0],
        ["22", 1],
        ["19", 1],
        ["15", 1],
        ["6", 2],
      ],
    );
    const back = await scene.driven(other.rewind({ id: "22", side: "before" }));
    assert.deepEqual([back.kept, back.turns, back.generation], ["20", 2, 2]);
    const state = await scene.state(await scene.active(fork));
    assert.equal(state.origin?.session_id, (await scene.state()).session);
    await scene.say(other, "do it otherwise");
    await scene.driven(other.close());
    await scene.driven(pod.close());
  });

  test("what cannot be forked is refused in one sentence, and leaves nothing", async () => {
    const { scene, pod } = await twoInputs();
    await scene.driven(forkPod(scene.stores, request(scene)));
    const files = await scene.files();
    const rows = [
      [{ name: source }, "usage", /takes a name of its own/],
      [{ name: fork }, "pod_exists", /A Pod named fork exists/],
      [{ name: "FORK" }, "pod_exists", /A Pod named fork exists/],
      [{ name: "a b" }, "pod_name_invalid", /not valid/],
      [{ source: "nobody", name: "x" }, "pod_unknown", /no Pod named nobody/],
      [{ name: "x", target: { id: "99", side: "behind" } }, "target_unknown", /no entry 99/],
    ] as const;
    for (const [more, code, message] of rows)
      await assert.rejects(scene.driven(forkPod(scene.stores, request(scene, more))), { code, message });
    await scene.stores.pods.create({
      name: podName("pending"),
      pointer: { state: "pending", session: sessionId(scene.host.ids.uuidV7()) },
      manifest: {},
    });
    await assert.rejects(
      scene.driven(forkPod(scene.stores, request(scene, { source: "pending", name: "x" }))),
      {
        code: "pod_unknown",
        message: /has no log yet/,
      },
    );
    assert.deepEqual([...(await scene.files()).keys()], [...files.keys()]);
    await scene.driven(pod.close());
  });
});
