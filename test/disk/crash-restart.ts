/** One seeded story of a session log on the simulated disk: lives that append, fail, crash and restart, each checked against what was told. */
import assert from "node:assert/strict";
import {
  flattenInput,
  isKnown,
  logSchema,
  segmentId,
  sessionId,
  YoiError,
  type EntryBody,
  type LogEntry,
} from "@yoi/base";
import {
  HostCrashed,
  memoryHost,
  type DiskEffect,
  type FaultPlan,
  type Files,
  type MemoryHost,
} from "@yoi/host";
import { createSessionStore, type OpenedSegment, type SegmentRef } from "@yoi/session-store";
import { seededRandom, type SeededRandom } from "../../packages/host/src/memory/seeded-random.ts";

const dataDir = "/data";
const opening = { metadataEpoch: 0, version: "0.1.0" };

export type WrapFiles = (files: Files) => Files;

interface Story {
  readonly random: SeededRandom;
  readonly wrap: WrapFiles;
  ref: SegmentRef | null;
  /** What each seq was acknowledged or recovered as: it may never change or go. */
  readonly kept: Map<number, string>;
  /** Told to have failed: it may never show up. */
  readonly refused: Set<string>;
  /** Neither: the process died, or the sync failed. */
  readonly unknown: Set<string>;
  next: number;
}

function textOf(entry: LogEntry): string {
  return isKnown(entry) && entry.kind === "user_input" ? flattenInput(entry.parts) : `(${entry.kind})`;
}

/** The name in front of the padding. */
const nameOf = (text: string): string => text.slice(0, text.indexOf(" "));

/** Faults of one life: a crash at some operation, a failed sync, a full disk for a while, or none. */
function faultsOf(random: SeededRandom, host: MemoryHost): FaultPlan {
  const index = host.disk.operations + 1 + random.below(60);
  const lasting = 1 + random.below(4);
  const ways: DiskEffect[] = ["crash", "crash", "crash", "EIO", "pass", { short: random.below(2_000) }];
  const effect = ways[random.below(ways.length)] ?? "pass";
  return (operation) => {
    if (effect === "crash" || effect === "EIO") return operation.index === index ? effect : "pass";
    if (operation.kind !== "write") return "pass";
    return operation.index >= index && operation.index < index + lasting * 4 ? effect : "pass";
  };
}

async function begin(story: Story, host: MemoryHost): Promise<OpenedSegment> {
  const store = createSessionStore({ files: story.wrap(host.files), clock: host.clock, dataDir });
  if (story.ref !== null) return store.open(story.ref, opening);
  const start = {
    schema: logSchema,
    session_id: sessionId(host.ids.uuidV7()),
    segment_id: segmentId(host.ids.uuidV7()),
    config: { model: "scripted/x", max_output_tokens: 100 },
    prompt: "p".repeat(story.random.below(1_200)),
    documents: [],
    turn_count: 0,
    states: {},
  };
  const opened = await store.create(start, opening);
  story.ref = { session: start.session_id, segment: start.segment_id };
  return opened;
}

/** Compares a log that was just opened with what has been told, and takes what it holds as told from now on. */
function check(story: Story, entries: readonly LogEntry[]): void {
  for (const [seq, text] of story.kept) {
    const entry = entries[seq];
    assert.ok(entry !== undefined, `acknowledged entry ${seq} (${nameOf(text)}) is lost`);
    assert.equal(textOf(entry), text, `entry ${seq} has changed`);
  }
  const names = new Set<string>();
  let epoch = 0;
  for (const [seq, entry] of entries.entries()) {
    assert.equal(entry.seq, seq, "seq has a gap");
    if (isKnown(entry) && entry.kind === "opened") {
      assert.ok(entry.epoch > epoch, `epoch ${entry.epoch} after ${epoch}`);
      epoch = entry.epoch;
    }
    const text = textOf(entry);
    if (!text.startsWith("(")) {
      const name = nameOf(text);
      assert.ok(!names.has(name), `${name} is there twice`);
      assert.ok(!story.refused.has(name), `${name} was refused and is there`);
      assert.ok(story.kept.has(seq) || story.unknown.has(name), `${name} was never under way`);
      names.add(name);
    }
    story.kept.set(seq, text);
  }
  // What did not survive until now must not come back.
  for (const name of story.unknown) if (!names.has(name)) story.refused.add(name);
  story.unknown.clear();
}

async function work(story: Story, host: MemoryHost, opened: OpenedSegment, rounds: number): Promise<void> {
  const { random } = story;
  for (let round = 0; round < rounds; round += 1) {
    const texts = Array.from(
      { length: 1 + random.below(4) },
      () =>
        `${(story.next += 1)} ${"x".repeat(random.below(8) === 0 ? random.below(3_000) : random.below(60))}`,
    );
    const bodies = texts.map((text): EntryBody => ({ kind: "user_input", parts: [{ type: "text", text }] }));
    try {
      const entries = await opened.writer.append(bodies);
      for (const entry of entries) story.kept.set(entry.seq, textOf(entry));
    } catch (error) {
      assert.ok(error instanceof YoiError || error instanceof HostCrashed, String(error));
      const dead = host.crashed || error instanceof HostCrashed || error.code === "log_poisoned";
      assert.ok(dead || error.code !== "log_fenced", `the only writer was fenced: ${error.message}`);
      for (const text of texts) (dead ? story.unknown : story.refused).add(nameOf(text));
      if (dead) return;
    }
    if (random.below(4) === 0) await host.advance(random.below(5));
  }
}

async function live(story: Story, host: MemoryHost): Promise<void> {
  host.disk.plan = faultsOf(story.random, host);
  let opened: OpenedSegment;
  try {
    opened = await begin(story, host);
  } catch (error) {
    const corrupt = error instanceof YoiError && error.kind === "corrupt";
    const missing = error instanceof YoiError && error.message.startsWith("There is no session log");
    assert.ok(!corrupt && !missing, `restart failed: ${String(error)}`);
    return;
  }
  check(story, opened.entries);
  const workers = Array.from({ length: 1 + story.random.below(4) }, () =>
    work(story, host, opened, 1 + story.random.below(6)),
  );
  await Promise.all(workers);
}

export interface StoryEnd {
  /** Digest of every disk operation with its data. */
  readonly trace: string;
  /** Why the story failed; null when every promise was kept. */
  readonly failure: string | null;
  readonly kept: number;
}

/** Plays the story of a seed. The same seed, with the same wrapping, plays the same to the last byte. */
export async function playStory(seed: number, wrap: WrapFiles = (files) => files): Promise<StoryEnd> {
  const random = seededRandom(seed ^ 0x73746f72);
  const story: Story = {
    random,
    wrap,
    ref: null,
    kept: new Map(),
    refused: new Set(),
    unknown: new Set(),
    next: 0,
  };
  let host = memoryHost({ seed });
  let failure: string | null = null;
  try {
    for (let lives = 3 + random.below(4); lives > 0; lives -= 1) {
      await live(story, host);
      host.crash(random.below(4) === 0 ? "process" : "power");
      host = host.restart();
    }
    if (story.ref !== null) check(story, (await begin(story, host)).entries);
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
  return { trace: host.disk.traceDigest(), failure, kept: story.kept.size };
}
