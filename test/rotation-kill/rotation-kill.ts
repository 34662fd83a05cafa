/** The real program, killed while a history goes on elsewhere: what is then on disk is what it was or what it was to become, verifies, and goes on. */
import assert from "node:assert/strict";
import { cpSync, globSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { canonicalJson, idOf, podName } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { podUsage, timelineOf, verifyPod } from "@yoi/pod";
import { createPodStore } from "@yoi/pod-store";
import { createSessionStore, replay } from "@yoi/session-store";
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import { findLog } from "../support/stored-log.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi, startYoi, type YoiResult } from "../support/yoi-process.ts";

export const verbs = ["run", "rewind", "fork", "compact", "undo"] as const;
export type Verb = (typeof verbs)[number];

const startMsMax = 500;
const workMsMax = 40;
const inputBytes = 20_000;

/** The second run compacts before its first request; the model takes its time over a summary, so that kills hit that too. */
const scenario = JSON.stringify({
  context_window: 64_000,
  steps: Array.from({ length: 8 }, (_, n) => ({ text: `Answer ${n}. ${"word ".repeat(600)}` })),
  compactor: [
    {
      delay_ms: 20,
      tool_calls: [{ name: "write_summary", arguments: { summary: "Two inputs were answered." } }],
    },
  ],
});
const configuration =
  "[compaction]\nthreshold = 14_000\nrequest_threshold = 40_000\nretained_tokens = 1_000\n";

const yoi = (place: TempHome, args: readonly string[]): Promise<YoiResult> =>
  runYoi(args, { cwd: place.workspace, env: place.env });

async function done(place: TempHome, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await yoi(place, args);
  assert.equal(code, 0, `yoi ${args.join(" ")}\n${stderr}`);
  return stdout;
}

/** Makes the Pod `p` that is to be killed. */
async function firstLife(verb: Verb): Promise<TempHome> {
  const place = tempHome();
  mkdirSync(join(place.home, "config"), { recursive: true });
  writeFileSync(join(place.home, "config", "config.toml"), configuration);
  writeFileSync(join(place.workspace, "s.yaml"), scenario);
  const input = `Never push. ${"x".repeat(inputBytes)}`;
  await done(place, "run", input, "--pod", "p", "-m", "scripted/s.yaml", "--sandbox", "off");
  await done(place, "run", input, "--pod", "p", "--sandbox", "off");
  if (verb === "undo") await done(place, "pod", "compact", "p");
  return place;
}

const argsOf: Readonly<Record<Verb, readonly string[]>> = {
  run: ["run", "Go on.", "--pod", "p", "--sandbox", "off"],
  rewind: ["pod", "rewind", "p", "--to", "9"],
  fork: ["pod", "fork", "p", "q"],
  compact: ["pod", "compact", "p"],
  undo: ["pod", "compact", "p", "--undo"],
};

/** What the model would be shown, by the segment that the name refers to. */
interface History {
  readonly generation: number;
  readonly items: readonly string[];
}

function storesOf({ home: dataDir }: TempHome) {
  const { files, clock } = nodeHost();
  return {
    sessions: createSessionStore({ files, clock, dataDir }),
    pods: createPodStore({ files, clock, dataDir }),
  };
}

/** Throws where anything of the Pod does not verify. */
async function historyOf(place: TempHome, name: string): Promise<History> {
  const stores = storesOf(place);
  const { problems } = await verifyPod(stores, name, {
    wireRequestsMax: 0,
    openModel: () => Promise.reject(new Error("no request body is rebuilt here")),
  });
  assert.deepEqual(problems, []);
  const record = await stores.pods.read(podName(name));
  assert.ok(record?.pointer.state === "active");
  const { generation, items } = replay((await stores.sessions.read(record.pointer)).entries);
  return { generation, items: items.map((one) => `${idOf(one)} ${canonicalJson({ ...one.item })}`) };
}

/** Both sides of the one step that a verb takes. */
interface Sides {
  readonly place: TempHome;
  readonly before: History;
  readonly after: History;
}

async function sidesOf(verb: Verb): Promise<Sides> {
  const place = await firstLife(verb);
  process.once("exit", () => place[Symbol.dispose]());
  const before = await historyOf(place, "p");
  using other = copyOf(place);
  await done(other, ...argsOf[verb]);
  const after = await historyOf(other, verb === "fork" ? "q" : "p");
  assert.equal(after.generation, before.generation + 1, verb);
  return { place, before, after };
}

const made = new Map<Verb, Promise<Sides>>();

/** What cases are copied from: made once, gone when the process ends. */
function sides(verb: Verb): Promise<Sides> {
  const known = made.get(verb) ?? sidesOf(verb);
  made.set(verb, known);
  return known;
}

/** The same Pod in a home of its own; its files are where they were. */
function copyOf(place: TempHome): TempHome {
  const own = tempHome();
  cpSync(place.home, own.home, { recursive: true });
  return { ...own, workspace: place.workspace, [Symbol.dispose]: () => own[Symbol.dispose]() };
}

/** What a verb has written so far: `any` byte below the home, segments of sessions, where names refer to. */
function writtenIn({ home }: TempHome) {
  const logs = globSync(`${home}/sessions/*/*.jsonl`);
  const sizes = logs.map((path) => `${path} ${statSync(path, { throwIfNoEntry: false })?.size}`);
  const names = globSync(`${home}/pods/*/metadata.json`);
  return {
    any: sizes.join(),
    segments: logs.length,
    pointers: names
      .map((path) => `${path} ${readFileSync(path, "utf8").length} ${statSync(path).ino}`)
      .join(),
  };
}

type Written = ReturnType<typeof writtenIn>;
/** A kill comes at a random time behind one of them. */
const marks: readonly ((now: Written, before: Written) => boolean)[] = [
  () => true,
  (now, before) => now.any !== before.any,
  (now, before) => now.segments > before.segments,
  (now, before) => now.segments > before.segments + 1,
  (now, before) => now.pointers !== before.pointers,
];

async function killAt(place: TempHome, verb: Verb, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const mark = random.below(marks.length);
  const before = writtenIn(place);
  const process = startYoi(argsOf[verb], { cwd: place.workspace, env: place.env });
  let isOver = false;
  const ended = process.ended.finally(() => (isOver = true));
  while (!isOver && marks[mark]?.(writtenIn(place), before) !== true) await delay(1);
  await delay(random.below(mark === 0 ? startMsMax : workMsMax));
  process.killGroup("SIGKILL");
  await ended;
}

const begins = (history: History, side: History) =>
  assert.deepEqual(history.items.slice(0, side.items.length), side.items);

/** On which side a killed Pod is; throws when it is on neither, or does not verify. */
async function sideOf(place: TempHome, verb: Verb, { before, after }: Sides): Promise<"before" | "after"> {
  const history = await historyOf(place, "p");
  if (verb === "fork") {
    assert.deepEqual(history, before, "the source of a fork changed");
    if ((await storesOf(place).pods.read(podName("q"))) === null) return "before";
    assert.deepEqual(await historyOf(place, "q"), after);
    return "after";
  }
  if (history.generation === before.generation) {
    begins(history, before);
    return "before";
  }
  assert.equal(history.generation, after.generation);
  // A run goes on behind its compaction.
  if (verb === "run") assert.deepEqual(after.items.slice(0, history.items.length), history.items);
  else assert.deepEqual(history, after);
  return "after";
}

/** It works on, what was begun has an end, and the records add up. */
async function goesOn(place: TempHome, name: string): Promise<void> {
  await done(place, "run", "And on.", "--pod", name, "--sandbox", "off");
  await historyOf(place, name);
  const stores = storesOf(place);
  const record = await stores.pods.read(podName(name));
  assert.ok(record?.pointer.state === "active");
  const counts = { compaction_begun: 0, compacted: 0 };
  for (const { ref } of (await timelineOf(stores.sessions, record.pointer)).segments)
    for (const { kind } of (await stores.sessions.read(ref)).entries)
      if (kind === "compaction_begun" || kind === "compacted") counts[kind] += 1;
  assert.equal(counts.compaction_begun, counts.compacted, "a compaction that was begun has no end");
  const [usage] = await podUsage(stores, { name, tree: false, verify: true });
  assert.deepEqual([usage?.problems, usage?.error], [[], null]);
}

export async function killedCase(verb: Verb, seed: number): Promise<"before" | "after"> {
  const both = await sides(verb);
  using place = copyOf(both.place);
  await killAt(place, verb, seed);
  const side = await sideOf(place, verb, both);
  await goesOn(place, verb === "fork" && side === "after" ? "q" : "p");
  return side;
}

/** The control: a name that refers to a segment of which the disk has only a part. */
export async function mixedCase(verb: Verb): Promise<void> {
  const both = await sides(verb);
  using place = copyOf(both.place);
  await done(place, ...argsOf[verb]);
  const log = findLog(place.home, "p");
  assert.ok(log !== null);
  truncateSync(log, statSync(log).size / 2);
  await sideOf(place, verb, both);
}
