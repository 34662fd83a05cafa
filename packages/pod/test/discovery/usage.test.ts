/** What Pods used: totals equal the sum of every record, whatever became of history; and what does not add up is said. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { addSpent, type EntryBody, noSpent, type SegmentStart, type Spent, YoiError } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { segmentPath } from "@yoi/session-store";
import { dataDir, simulatedStores } from "../../../../test/support/simulated-pod.ts";
import { podUsage, type PodUsage, totalSpent } from "../../src/index.ts";
import { randomOf, spendingFamily, SpendingPod } from "./spending-family.ts";

const seed = 20_261_122;
const cases = 12;
const everything = { name: null, tree: true, verify: true };

function flat(pods: readonly PodUsage[]): readonly PodUsage[] {
  return pods.flatMap((pod) => [pod, ...flat(pod.children)]);
}

test(`totals of a random tree equal the sum of its records, and its logs say the same (seed ${seed}, ${cases} trees)`, async () => {
  let segments = 0;
  for (let n = 0; n < cases; n += 1) {
    const { host, all } = await spendingFamily(seed + n);
    const pods = await podUsage(simulatedStores(host, new Map()), everything);
    for (const { name, sum, spent } of all) {
      const found = flat(pods).find((pod) => pod.name === name);
      assert.deepEqual(found?.spent, sum, `seed ${seed + n}, ${name}`);
      assert.deepEqual(spent, sum, `seed ${seed + n}, the fold of ${name}`);
      assert.deepEqual([found?.problems, found?.error], [[], null], `seed ${seed + n}, ${name}`);
      segments += found?.segments.length ?? 0;
    }
    assert.deepEqual(
      totalSpent(pods),
      all.reduce((total, { sum }) => addSpent(total, sum), noSpent),
    );
  }
  assert.ok(segments > 5 * cases, `${segments} segments in ${cases} trees test too little`);
});

const solo = async () => {
  const host = memoryHost({ seed: 1 });
  const pod = await new SpendingPod(host, "solo", randomOf(4)).begin();
  await pod.work();
  await pod.compact("failed");
  await pod.compact("committed");
  await pod.work();
  return { host, pod, stores: simulatedStores(host, new Map()) };
};

test("each segment is listed with its part, and counts its own records only", async () => {
  const { pod, stores } = await solo();
  const [found] = await podUsage(stores, { name: "solo", tree: false, verify: false });
  assert.deepEqual(
    found?.segments.map(({ part, generation }) => [part, generation]),
    [
      ["left", 0],
      ["compactor", 0],
      ["compactor", 0],
      ["active", 1],
    ],
  );
  assert.deepEqual(
    found?.segments.reduce((sum, { spent }) => addSpent(sum, spent), noSpent),
    pod.sum,
  );
});

test("a start and a compactor's total that are not what the records say are told; a name that nobody has is refused", async () => {
  const { stores } = await solo();
  const change = (wanted: EntryBody["kind"], changed: (entry: EntryBody) => EntryBody) => {
    const readBehind: typeof stores.sessions.readBehind = async function* (ref, seq) {
      for await (const { entries, damage } of stores.sessions.readBehind(ref, seq)) {
        const put = entries.map((entry) =>
          entry.kind === wanted ? ({ ...entry, ...changed(entry as EntryBody) } as typeof entry) : entry,
        );
        yield { entries: put, damage };
      }
    };
    const { listSegments, read } = stores.sessions;
    const bound = {
      listSegments: listSegments.bind(stores.sessions),
      read: read.bind(stores.sessions),
      readBehind,
    };
    return podUsage({ pods: stores.pods, sessions: bound }, everything);
  };
  const problemsOf = async (...given: Parameters<typeof change>) =>
    (await change(...given))[0]?.problems ?? [];
  assert.deepEqual(await problemsOf("opened", (entry) => entry), []);
  const more = { ...noSpent, requests: 1 };
  const start = await problemsOf("segment_start", (entry) => {
    const { spent = noSpent } = entry as SegmentStart;
    return { ...(entry as SegmentStart), spent: spent === noSpent ? spent : addSpent(spent, more) };
  });
  assert.match(start.join("\n"), /^The start of generation 1 says \d+ requests.*add up to \d+ requests/);
  const usage = await problemsOf("turn_end", () => ({ kind: "compaction_begun" }) as EntryBody);
  assert.match(usage.join("\n"), /The active segment's fold says/);
  assert.match(usage.join("\n"), /What is on record of the compactor/);
  const compactor = "01a203bf-7633-754a-8f2a-f6922e2850b2";
  const compactorOf = (spent: Spent) =>
    problemsOf(
      "turn_end",
      () => ({ kind: "compacted", outcome: "interrupted", compactor, spent }) as EntryBody,
    );
  const never = /compactor 01a203bf-\S+ cannot be held against its records: its segment is not there/;
  assert.match((await compactorOf(more)).join("\n"), never);
  assert.doesNotMatch((await compactorOf(noSpent)).join("\n"), never);
  await assert.rejects(
    podUsage(stores, { ...everything, name: "nobody" }),
    (error: unknown) => error instanceof YoiError && error.code === "pod_unknown",
  );
});

test("damage is said, and what is before it counts", async () => {
  const { host, pod, stores } = await solo();
  const record = await stores.pods.read(pod.name);
  assert.ok(record !== null && record.pointer.state === "active");
  const path = segmentPath(dataDir, record.pointer);
  const whole = await host.files.read(path);
  const lines = Buffer.from(whole ?? [])
    .toString()
    .split("\n");
  lines[3] = `${lines[3]?.slice(0, -30)}x${lines[3]?.slice(-29)}`;
  await host.files.replace(path, Buffer.from(lines.join("\n")));
  const [found] = await podUsage(stores, { name: "solo", tree: false, verify: false });
  assert.match(
    found?.error ?? "",
    /^The log .* of the Pod solo is damaged at byte \d+ .*: what it used is counted up to there\.$/,
  );
  assert.ok((found?.spent.run_ms ?? 0) < pod.sum.run_ms);
});
