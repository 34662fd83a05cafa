/** Random changes by tools, by commands and by the user, then putting files back as they were at a random place, and forward again. */
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { callId, type EntryBody, type JsonObject } from "@yoi/base";
import { touchedRecord } from "@yoi/tools";
import { doneSince } from "../../packages/pod/src/rewind/done-since.ts";
import type { FileTold } from "../../packages/pod/src/rewind/file-chains.ts";
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import { type CopiesBench, copiesBench } from "./bench.ts";

const names = ["a", "b", "d/c", "d/e", "f"];
/** Where nobody looks. */
const unseen = [".h", "i/x"];
/** Longer than the clock of a file system lags behind. */
const tickMs = 12;
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
    bench.put(".gitignore", "i/\n");
    for (const name of unseen) bench.put(name, `start of ${name}\n`);
    symlinkSync("nowhere", bench.path("l"));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, tickMs);
    for (const name of names) if (random.below(3) > 0) bench.put(name, `start of ${name}\n`);
    const begun = writer.head.seq;
    const steps: Step[] = [];
    const moved = new Set<string>();
    const bits = new Map<string, number>();
    const count = 4 + random.below(7);
    for (let index = 0; index < count; index += 1) {
      const before = snapshot(bench);
      const byUser = random.below(4) === 0;
      const body = byUser ? null : await byPod(bench, random, `${seed} ${index}`, moved);
      if (byUser && random.below(3) === 0) giveBits(bench, random, index, bits);
      else if (byUser) disturb(bench, random, `user ${seed} ${index}`, new Set());
      if (body !== null) await writer.append([body]);
      steps.push({ before, changed: difference(before, snapshot(bench)), byUser, seq: writer.head.seq });
    }
    const at = random.below(count);
    const place = { ref, generation: 0, seq: steps[at - 1]?.seq ?? begun };
    const left = snapshot(bench);
    const end = writer.head.seq;
    const bitsLeft = new Map([...bits].map(([path]) => [path, bitsOf(bench, path)]));
    const { told, record } = await putBack(bench, place);
    judge(bench, steps.slice(at), left, { told, moved });
    for (const [path, index] of bits) {
      const isLast = !steps.some(({ changed }, step) => step > index && changed.has(path));
      if (isLast && bench.text(path) !== null) assert.equal(bitsOf(bench, path), bitsLeft.get(path), path);
    }

    // Again, as behind a crash: nothing is left to do.
    const now = snapshot(bench);
    await putBack(bench, place);
    assert.deepEqual(snapshot(bench), now);

    await writer.append([lineage(record)]);
    await putBack(bench, { ...place, seq: end });
    // Of a moved file that the user removed there is a copy, as there is of one that an earlier try removed: it may come again.
    const forward = [...snapshot(bench)].filter(
      ([path]) => left.has(path) || told.get(path) !== "unchanged" || !moved.has(path),
    );
    assert.deepEqual(new Map(forward), left, "forward again");
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
  {
    told,
    moved,
  }: {
    readonly told: ReadonlyMap<string, FileTold["outcome"]>;
    /** Where a command moved a file to, or took a link away. */
    readonly moved: ReadonlySet<string>;
  },
): void {
  const now = snapshot(bench);
  const texts = new Set(now.values());
  for (const [path, text] of left)
    if (/^(start|user)/.test(text)) assert.ok(texts.has(text), `what the user wrote in ${path} is there`);
  for (const path of new Set([...left.keys(), ...now.keys(), ...told.keys()])) {
    const outcome = told.get(path);
    const ours = steps.findIndex(({ changed, byUser }) => !byUser && changed.has(path));
    const isBack = outcome === "restored" || outcome === "removed" || outcome === "unchanged";
    if (!isBack) assert.equal(now.get(path), left.get(path), `${path} (${outcome}) was to be left alone`);
    if (unseen.includes(path)) {
      assert.equal(outcome, undefined, path);
      continue;
    }
    assert.equal(outcome !== undefined, ours !== -1, `${path} (${outcome}) is told of`);
    if (ours === -1) continue;
    const first = steps[ours]?.before.get(path);
    if (isBack) assert.equal(now.get(path), first, `${path} (${outcome}) is as it was`);
    const mine = isUsers(steps, path, left);
    if (outcome === "not_kept") assert.ok(moved.has(path), `${path} was moved`);
    else if (outcome !== "unchanged")
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
  step: string,
  moved: Set<string>,
): Promise<EntryBody> {
  const name = names[random.below(names.length)] ?? "a";
  const text = `pod ${step}\n`;
  const file_path = bench.path(name);
  const exists = bench.text(name) !== null;
  if (exists) await bench.call("Read", { file_path });
  const result = (tool: string, record: JsonObject): EntryBody => ({
    kind: "tool_result",
    item: {
      type: "tool_result",
      call: callId(Number(step.split(" ")[1]), 0),
      name: tool,
      summary: "",
      is_error: false,
      record,
    },
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
      disturb(bench, random, `shell ${step} ${more}`, moved);
  };
  return result("Bash", await bench.record("Bash", { command: "x" }, play));
}

function giveBits(
  bench: CopiesBench,
  random: ReturnType<typeof seededRandom>,
  index: number,
  bits: Map<string, number>,
): void {
  const name = names[random.below(names.length)] ?? "a";
  if (bench.text(name) === null) return;
  chmodSync(bench.path(name), [0o600, 0o640, 0o755][random.below(3)] ?? 0o600);
  bits.set(name, index);
}

function bitsOf(bench: CopiesBench, name: string): number | null {
  const stat = lstatSync(bench.path(name), { throwIfNoEntry: false });
  return stat === undefined ? null : stat.mode & 0o7777;
}

/** Writes, removes or renames one file, or moves one into sight, or takes the place of a link. */
function disturb(
  bench: CopiesBench,
  random: ReturnType<typeof seededRandom>,
  text: string,
  moved: Set<string>,
): void {
  const path = bench.path(names[random.below(names.length)] ?? "a");
  const other = bench.path(names[random.below(names.length)] ?? "b");
  const hidden = bench.path(unseen[random.below(unseen.length)] ?? ".h");
  const rare = random.below(10);
  if (rare === 0 && existsSync(hidden)) {
    mkdirSync(dirname(path), { recursive: true });
    renameSync(hidden, path);
    moved.add(path.slice(bench.workspace.length + 1));
    return;
  }
  if (rare === 1 && bitsOf(bench, "l") !== null) {
    rmSync(bench.path("l"));
    bench.put("l", `${text}\n`);
    moved.add("l");
    return;
  }
  const exists = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const what = random.below(4);
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(dirname(other), { recursive: true });
  if (exists && what === 0) rmSync(path);
  else if (exists && what === 1 && path !== other) {
    renameSync(path, other);
    moved.add(other.slice(bench.workspace.length + 1));
  } else writeFileSync(path, `${text}\n`);
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
    if (lstatSync(path).isFile()) found.set(name, readFileSync(path, "utf8"));
  }
  return found;
}

function difference(a: Snapshot, b: Snapshot): ReadonlySet<string> {
  return new Set([...a.keys(), ...b.keys()].filter((path) => a.get(path) !== b.get(path)));
}
