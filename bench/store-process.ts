/**
 * Work on session logs in a process of its own, so that its memory is its own: `write DIR ENTRIES`, `replay DIR`, `append DIR APPENDERS
 * ENTRIES [redact]`. Prints one JSON object.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EntryBody, logSchema, segmentId, sessionId } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { createKnownSecrets } from "@yoi/keep";
import { createSessionStore, replay, type SegmentRef, segmentPath } from "@yoi/session-store";

export interface Written {
  readonly bytes: number;
}
export interface Replayed {
  readonly entries: number;
  readonly ms: number;
  /** What the process had resident at its highest. */
  readonly peakBytes: number;
}
export interface Appended {
  readonly entries: number;
  readonly ms: number;
}

const [command = "", dataDir = "", ...rest] = process.argv.slice(2);
const host = nodeHost();
const refFile = join(dataDir, "ref.json");
const opening = { metadataEpoch: 0, version: "bench" };

const secrets = createKnownSecrets();
for (const id of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"])
  secrets.learn({ id, value: `sk-${id.toLowerCase()}-0123456789abcdefghijklmnop` });
const redact = rest.includes("redact") ? { redact: secrets.redact } : {};
const store = createSessionStore({ files: host.files, clock: host.clock, dataDir, ...redact });

async function create() {
  mkdirSync(dataDir, { recursive: true });
  const ref: SegmentRef = {
    session: sessionId(host.ids.uuidV7()),
    segment: segmentId(host.ids.uuidV7()),
  };
  writeFileSync(refFile, JSON.stringify(ref));
  const start = {
    schema: logSchema,
    session_id: ref.session,
    segment_id: ref.segment,
    config: { model: "anthropic/claude-sonnet-4-5", max_output_tokens: 8192 },
    prompt: "You are yoi.",
    documents: [],
    turn_count: 0,
    states: {},
  };
  const { writer } = await store.create(start, opening);
  return { ref, writer };
}

/** Of the size that entries of a run have on average; no two are alike. */
function entry(index: number): EntryBody {
  const text = `Line ${index} of what was piped into this run. `.padEnd(440, `${index} lorem ipsum dolor `);
  return { kind: "user_input", parts: [{ type: "text", text }] };
}

async function write(entries: number): Promise<Written> {
  const { ref, writer } = await create();
  const batch = 1000;
  for (let from = 0; from < entries; from += batch)
    await writer.append(
      Array.from({ length: Math.min(batch, entries - from) }, (_, index) => entry(from + index)),
    );
  await writer.close();
  return { bytes: statSync(segmentPath(dataDir, ref)).size };
}

async function replayAll(): Promise<Replayed> {
  const ref = JSON.parse(readFileSync(refFile, "utf8")) as SegmentRef;
  const startedMs = performance.now();
  const opened = await store.open(ref, opening);
  const state = replay(opened.entries);
  const ms = performance.now() - startedMs;
  await opened.writer.close();
  const peak = /^VmHWM:\s+([0-9]+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
  return { entries: state.lastSeq + 1, ms, peakBytes: Number(peak ?? Number.NaN) * 1024 };
}

/** Each appender waits for its entry to be durable before it appends the next. */
async function append(appenders: number, entries: number): Promise<Appended> {
  const { writer } = await create();
  const each = Math.ceil(entries / appenders);
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: appenders }, async (_, appender) => {
      for (let index = 0; index < each; index += 1) await writer.append([entry(appender * each + index)]);
    }),
  );
  const ms = performance.now() - startedMs;
  await writer.close();
  return { entries: each * appenders, ms };
}

async function work(): Promise<Written | Replayed | Appended> {
  const [first, second] = rest.map(Number);
  if (command === "write" && first !== undefined) return write(first);
  if (command === "replay") return replayAll();
  if (command === "append" && first !== undefined && second !== undefined) return append(first, second);
  throw new Error(`not a command of this process: ${process.argv.slice(2).join(" ")}`);
}

console.log(JSON.stringify(await work()));
