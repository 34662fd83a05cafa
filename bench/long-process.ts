/** A process of the long part, on the real disk: a session of many steps, one with many segments, opening one, compacting one. Prints its figures as JSON. */
import type { Tool, ToolOutput } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { compactionDefault, type CompactionChoice } from "@yoi/manifest";
import { type Model, openModel } from "@yoi/model";
import type { Pod } from "@yoi/pod";
import { manifestOf, openSimulated } from "../test/support/simulated-pod.ts";
import { type Asked, now, quickModel, type QuickOptions, since, timed } from "./long-model.ts";

export interface LongStep {
  /** From this request to the next one. */
  readonly wholeMs: number;
  /** Without model, adapter and socket. */
  readonly ownMs: number;
  /** Both, of the processor. */
  readonly wholeCpuMs: number;
  readonly ownCpuMs: number;
  /** Resident, of the whole process; of one step in twenty, else 0. */
  readonly residentBytes: number;
}

export interface LongRun {
  readonly steps: readonly LongStep[];
  /** How often history went on in a smaller one. */
  readonly compactions: number;
}

export interface Grown {
  /** Of the session directory. */
  readonly bytes: number;
}

export interface Opened {
  /** Of each opening in this process but the first, in which the code has not run yet. */
  readonly ms: readonly number[];
  /** Behind the first one. */
  readonly residentBytes: number;
}

export interface CompactedOnce {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly itemsBefore: number;
  /** Without the time in the model. */
  readonly ownMs: number;
  readonly ownCpuMs: number;
}

const dir = process.argv[3] ?? "";
const argument = (index: number): string => process.argv[4 + index] ?? "";
const host = nodeHost();
const sampleEvery = 20;

const blob: Tool = {
  definition: {
    name: "Blob",
    description: "Gives bytes.",
    input_schema: { type: "object", properties: { bytes: { type: "integer" } }, required: ["bytes"] },
  },
  readOnly: true,
  execute: async ({ bytes, nth }): Promise<ToolOutput> => ({
    summary: `${String(bytes)} bytes`,
    content: `line ${String(nth)}: lorem ipsum dolor `.padEnd(Number(bytes), "lorem ipsum dolor "),
  }),
};

/** By hand only, and nothing is pruned. */
const untouched: Partial<CompactionChoice> = { enabled: false, prune_threshold: 1e9 };

function open(model: Model, compaction: Partial<CompactionChoice>): Promise<Pod> {
  return openSimulated({
    host,
    dataDir: dir,
    leases: new Map(),
    scenario: "steps: []",
    wrapModel: () => model,
    tools: [blob],
    config: { model: `${model.provider}/${model.id}`, max_output_tokens: 8_192 },
    manifest: manifestOf({ compaction: { ...compactionDefault, ...compaction } }),
  });
}

async function submitted(pod: Pod): Promise<void> {
  const { outcome } = await pod.submit([{ type: "text", text: "Go on." }]);
  if (outcome.kind !== "finished") throw new Error(`the run ended: ${JSON.stringify(outcome)}`);
}

/** Over a real adapter and a socket. @param isCompacted with the defaults; else the window has no end. */
async function session(url: string, isCompacted: boolean): Promise<LongRun> {
  const facts = isCompacted ? {} : { contextWindow: 1e9 };
  const { model } = await openModel({
    provider: "anthropic",
    id: "claude-sonnet-4-5",
    apiKey: "test",
    baseUrl: url,
    facts,
    ports: host,
  });
  const asked: (Asked & { residentBytes: number })[] = [];
  let compactions = 0;
  const watched = timed(model, (one) => {
    const residentBytes = asked.length % sampleEvery === 0 ? process.memoryUsage.rss() : 0;
    if (one.isStep) asked.push({ ...one, residentBytes });
    else compactions += 1;
  });
  const pod = await open(watched, isCompacted ? {} : untouched);
  await submitted(pod);
  await pod.close();
  await model.close?.();
  const steps = asked.slice(0, -1).map((one, index): LongStep => {
    const next = asked[index + 1] ?? one;
    const [wholeMs, wholeCpuMs] = [next.atMs - one.atMs, next.atCpuMs - one.atCpuMs];
    const [ownMs, ownCpuMs] = [wholeMs - one.inModelMs, wholeCpuMs - one.inModelCpuMs];
    return { wholeMs, ownMs, wholeCpuMs, ownCpuMs, residentBytes: one.residentBytes };
  });
  return { steps, compactions };
}

/** So many segments that were left, each with that many bytes of results, and a small one that is open. */
async function grow(segments: number, bytesEach: number): Promise<Grown> {
  const batch = 8;
  const bytes = 60_000;
  const perRun = Math.max(1, Math.ceil(bytesEach / (batch * bytes)));
  const each = Math.min(bytes, Math.ceil(bytesEach / batch));
  const options: QuickOptions = {
    contextWindow: 1e9,
    calls: (request) =>
      request % (perRun + 1) === perRun
        ? []
        : Array.from({ length: batch }, (_, index) => {
            return { name: "Blob", args: { bytes: each, nth: request * batch + index } };
          }),
  };
  const pod = await open(quickModel(options), untouched);
  for (let segment = 0; segment < segments; segment += 1) {
    await submitted(pod);
    await pod.compact();
  }
  await pod.close();
  return { bytes: segments * perRun * batch * each };
}

async function opened(times: number): Promise<Opened> {
  const model = quickModel({ contextWindow: 1e9, calls: () => [] });
  const ms: number[] = [];
  let residentBytes = 0;
  for (let count = 0; count <= times; count += 1) {
    const from = performance.now();
    const pod = await open(model, untouched);
    if (count > 0) ms.push(performance.now() - from);
    else residentBytes = process.memoryUsage.rss();
    await pod.close();
  }
  return { ms, residentBytes };
}

/** A history of about that many tokens, by results of that size. */
async function compacted(tokens: number, resultBytes: number): Promise<CompactedOnce> {
  const quick = quickModel({
    contextWindow: tokens * 2,
    calls: (_request, size) =>
      size < tokens ? [{ name: "Blob", args: { bytes: resultBytes, nth: size } }] : [],
  });
  let [inModelMs, inModelCpuMs] = [0, 0];
  const watched = timed(quick, (asked) => {
    inModelMs += asked.inModelMs;
    inModelCpuMs += asked.inModelCpuMs;
  });
  const pod = await open(watched, untouched);
  await submitted(pod);
  [inModelMs, inModelCpuMs] = [0, 0];
  const from = now();
  const { tokensBefore, tokensAfter, itemsBefore } = await pod.compact();
  const took = since(from);
  await pod.close();
  const [ownMs, ownCpuMs] = [took.ms - inModelMs, took.cpuMs - inModelCpuMs];
  return { tokensBefore, tokensAfter, itemsBefore, ownMs, ownCpuMs };
}

function work(): Promise<LongRun | Grown | Opened | CompactedOnce> {
  switch (process.argv[2]) {
    case "session":
      return session(argument(0), argument(1) === "compacted");
    case "grow":
      return grow(Number(argument(0)), Number(argument(1)));
    case "open":
      return opened(Number(argument(0)));
    case "compact":
      return compacted(Number(argument(0)), Number(argument(1)));
    default:
      throw new Error(`not a command of this process: ${process.argv.slice(2).join(" ")}`);
  }
}

console.log(JSON.stringify(await work()));
