/** Random changes by tools, by commands and by the user, then putting files back as they were at a random place, and forward again. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { callId, type EntryBody, type JsonObject } from "@yoi/base";
import { touchedRecord } from "@yoi/tools";
import { doneSince } from "../../packages/pod/src/rewind/done-since.ts";
import type { FileTold } from "../../packages/pod/src/rewind/file-chains.ts";
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import { type CopiesBench, copiesBench } from "./bench.ts";

const names = ["a", "b", "d/c", "d/e", "f"];
type Snapshot = ReadonlyMap<string, string>;

interface Step {
  readonly before: Snapshot;
  /** Paths that the step changed. */
  readonly changed: ReadonlySet<string>;
  readonly byUser: boolean;
  /** Of the entry that tells of it. */
  readonly seq: number;
}

export async function anyOrderCase(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const bench = copiesBench();
  const { store, ref, copies } = bench;
  const start = {
    schema: 1,
    session_id: ref.session,
    segment_id: ref.segment,
    prompt: "",
    config: { model: "" },
    turn_count: 0,
    documents: [],
    states: {},
  };
  const { writer } = await store.create(start, { metadataEpoch: 0, version: "1" });
  try {
    for (const name of names) if (random.below(3) > 0) bench.put(name, `start of ${name}\n`);
    const begun = writer.head.seq;
    const steps: Step[] = [];
    const count = 4 + random.below(7);
    for (let index = 0; index < count; index += 1) {
      const before = snapshot(bench);
      const byUser = random.below(4) === 0;
      const body = byUser ? null : await byPod(bench, random, seed, index);
      if (byUser) disturb(bench, random, `user ${seed} ${index}`);
      if (body !== null) await writer.append([body]);
      steps.push({ before, changed: difference(before, snapshot(bench)), byUser, seq: writer.head.seq });
    }
    const at = random.below(count);
    const place = { ref, generation: 0, seq: steps[at - 1]?.seq ?? begun };
    const left = snapshot(bench);
    const end = writer.head.seq;
    const { told, record } = await putBack(bench, place);
    judge(bench, steps.slice(at), left, told);

    // Again, as behind a crash: nothing is left to do.
    const now = snapshot(bench);
    await putBack(bench, place);
    assert.deepEqual(snapshot(bench), now);

    await writer.append([lineage(record)]);
    await putBack(bench, { ...place, seq: end });
    assert.deepEqual(snapshot(bench), left, "forward again");
    assert.ok((await copies.read("0".repeat(64))) === null);
  } finally {
    await writer.close();
    bench.close();
  }
}

async function putBack(bench: CopiesBench, place: Parameters<typeof doneSince>[2]) {
  const { files, lost } = await doneSince(bench.store, bench.ref, place, () => false);
  assert.equal(lost, 0);
  const { reports, touched } = await bench.back.putBack(files.flatMap(({ wish }) => wish ?? []));
  const became = new Map(reports.map((report) => [report.path, report]));
  const told = new Map<string, FileTold["outcome"]>(
    files.map(({ path, outcome }) => [
      path.slice(bench.workspace.length + 1),
      became.get(path)?.outcome ?? outcome,
    ]),
  );
  return { told, record: await touchedRecord(touched, bench.copies, "change") };
}

function judge(
  bench: CopiesBench,
  steps: readonly Step[],
  left: Snapshot,
  told: ReadonlyMap<string, FileTold["outcome"]>,
): void {
  const now = snapshot(bench);
  for (const path of new Set([...left.keys(), ...now.keys(), ...told.keys()])) {
    const outcome = told.get(path);
    const ours = steps.findIndex(({ changed, byUser }) => !byUser && changed.has(path));
    const isBack = outcome === "restored" || outcome === "removed" || outcome === "unchanged";
    if (!isBack) assert.equal(now.get(path), left.get(path), `${path} (${outcome}) was to be left alone`);
    assert.equal(outcome !== undefined, ours !== -1, `${path} (${outcome}) is told of`);
    if (ours === -1) continue;
    const first = steps[ours]?.before.get(path);
    if (isBack) assert.equal(now.get(path), first, `${path} (${outcome}) is as it was`);
    const mine = isUsers(steps, path, left);
    if (outcome !== "unchanged")
      assert.equal(outcome === "changed_since", mine, `${path} (${outcome}): the user's change is kept`);
  }
}

/** At a change of the Pod behind another of its own, or at the end, the file is not what the Pod left. */
function isUsers(steps: readonly Step[], path: string, end: Snapshot): boolean {
  const ours = steps.flatMap((step, index) => (!step.byUser && step.changed.has(path) ? [index] : []));
  const behind = (index: number) => (index + 1 < steps.length ? steps[index + 1]?.before : end)?.get(path);
  return ours.some((index, nth) => {
    const next = ours[nth + 1];
    return behind(index) !== (next === undefined ? end : steps[next]?.before)?.get(path);
  });
}

async function byPod(
  bench: CopiesBench,
  random: ReturnType<typeof seededRandom>,
  seed: number,
  index: number,
): Promise<EntryBody> {
  const name = names[random.below(names.length)] ?? "a";
  const text = `pod ${seed} ${index}\n`;
  const file_path = bench.path(name);
  const exists = bench.text(name) !== null;
  if (exists) await bench.call("Read", { file_path });
  const result = (tool: string, record: JsonObject): EntryBody => ({
    kind: "tool_result",
    item: { type: "tool_result", call: callId(index, 0), name: tool, summary: "", is_error: false, record },
  });
  switch (random.below(3)) {
    case 0:
      return result("Write", await bench.record("Write", { file_path, content: text }));
    case 1:
      if (exists) {
        const old_string = (bench.text(name) ?? "").trimEnd();
        const record = await bench.record("Edit", { file_path, old_string, new_string: text.trimEnd() });
        return result("Edit", record);
      }
  }
  const play = () => {
    for (let more = random.below(4); more > 0; more -= 1)
      disturb(bench, random, `shell ${seed} ${index} ${more}`);
  };
  return result("Bash", await bench.record("Bash", { command: "x" }, play));
}

/** Writes, removes or renames one file. */
function disturb(bench: CopiesBench, random: ReturnType<typeof seededRandom>, text: string): void {
  const path = bench.path(names[random.below(names.length)] ?? "a");
  const other = bench.path(names[random.below(names.length)] ?? "b");
  const exists = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const what = random.below(4);
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(dirname(other), { recursive: true });
  if (exists && what === 0) rmSync(path);
  else if (exists && what === 1 && path !== other) renameSync(path, other);
  else writeFileSync(path, `${text}\n`);
}

function lineage(record: JsonObject): EntryBody {
  return {
    kind: "system_item",
    item: { type: "system_item", kind: "lineage", source: "host", body: "", record },
  };
}

function snapshot({ workspace }: CopiesBench): Snapshot {
  const found = new Map<string, string>();
  for (const name of readdirSync(workspace, { recursive: true, encoding: "utf8" })) {
    const path = join(workspace, name);
    if (statSync(path).isFile()) found.set(name, readFileSync(path, "utf8"));
  }
  return found;
}

function difference(a: Snapshot, b: Snapshot): ReadonlySet<string> {
  return new Set([...a.keys(), ...b.keys()].filter((path) => a.get(path) !== b.get(path)));
}
