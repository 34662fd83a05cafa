/** A Pod on a simulated machine with a model that a test answers for, and a compactor that it answers for too. */
import {
  type Budget,
  type InputPart,
  type LogEntry,
  noBudget,
  type SegmentId,
  type Tool,
  type ToolOutput,
} from "@yoi/base";
import type { MemoryHost } from "@yoi/host";
import { compactionDefault, type CompactionChoice } from "@yoi/manifest";
import type { Model, ModelRequest } from "@yoi/model";
import type { FeatureModule } from "@yoi/feature";
import type { OpenPodOptions, Pod, PodObserver, PodSetup } from "@yoi/pod";
import type { LeaseTable } from "@yoi/pod-store";
import { replay, type SegmentRef, type SessionState, type SessionStore } from "@yoi/session-store";
import { timelineOf } from "../../packages/pod/src/timeline/timeline.ts";
import { manifestOf, openSimulated, simulatedPod, simulatedStores } from "../support/simulated-pod.ts";
import { answeringModel, type MadeAnswer } from "./answering-model.ts";

export interface CompactingOptions {
  readonly host: MemoryHost;
  readonly leases: LeaseTable;
  readonly contextWindow: number;
  readonly compaction?: Partial<CompactionChoice>;
  readonly answer: (request: ModelRequest, n: number) => MadeAnswer;
  /** Default: a summary of two words. */
  readonly compactor?: (request: ModelRequest, n: number) => MadeAnswer;
  /** Of the Pod's own model, with the tokens that it was counted as. */
  readonly sent?: (request: ModelRequest, tokens: number) => void;
  readonly tools?: readonly Tool[];
  readonly features?: readonly FeatureModule[];
  readonly observer?: PodObserver;
  readonly recall?: PodSetup["recall"];
  readonly readFiles?: PodSetup["readFiles"];
  /** Of a compactor with a model of its own. */
  readonly compactorProvider?: string;
  readonly budget?: Partial<Budget>;
  readonly committed?: NonNullable<OpenPodOptions["committed"]>;
  readonly wrapSessions?: (sessions: SessionStore) => SessionStore;
  readonly wrapModel?: (model: Model) => Model;
}

export const unlimited = { timeoutMs: null } as const;

export const shortSummary: MadeAnswer = {
  calls: [
    {
      name: "write_summary",
      args: { summary: "work went on", constraints: [], current_work: "", files: [] },
    },
  ],
};

/** Its requests are known by their prompt: one model does both, as without `[compaction] model`. */
export function isCompactor({ head }: ModelRequest): boolean {
  return head.tools.some(({ name }) => name === "write_summary");
}

export function openCompacting(options: CompactingOptions): Promise<Pod> {
  const { host, leases, contextWindow, answer, compactor = () => shortSummary } = options;
  const config = { model: "made/model", max_output_tokens: Math.floor(contextWindow / 10) };
  let asked = 0;
  let explored = 0;
  const made = answeringModel({
    id: "model",
    contextWindow,
    answer: (request) => (isCompactor(request) ? compactor(request, explored++) : answer(request, asked++)),
    sent: (request, tokens) => {
      if (!isCompactor(request)) options.sent?.(request, tokens);
    },
  });
  const model = options.wrapModel?.(made) ?? made;
  const { compactorProvider: provider, budget } = options;
  const own = provider === undefined ? {} : { compactor: { model: { ...made, provider }, config } };
  return openSimulated({
    host,
    leases,
    scenario: JSON.stringify({ steps: [{ text: "never asked" }] }),
    wrapModel: () => model,
    tools: options.tools ?? [blobTool],
    config,
    ...own,
    manifest: manifestOf({
      compaction: { ...compactionDefault, ...options.compaction },
      ...(budget === undefined ? {} : { budget: { ...noBudget, ...budget } }),
    }),
    ...(options.features === undefined ? {} : { features: options.features }),
    ...(options.observer === undefined ? {} : { observer: options.observer }),
    ...(options.recall === undefined ? {} : { recall: options.recall }),
    ...(options.readFiles === undefined ? {} : { readFiles: options.readFiles }),
    ...(options.committed === undefined ? {} : { committed: options.committed }),
    ...(options.wrapSessions === undefined ? {} : { wrapSessions: options.wrapSessions }),
  });
}

/** Gives so many bytes. */
export const blobTool: Tool = {
  definition: {
    name: "Blob",
    description: "Gives bytes.",
    input_schema: { type: "object", properties: { bytes: { type: "integer" } }, required: ["bytes"] },
  },
  readOnly: true,
  execute: async ({ bytes }): Promise<ToolOutput> => ({
    summary: `${String(bytes)} bytes`,
    content: wordsOf(Number(bytes)),
  }),
};

/** Text of so many bytes that a model could read. */
export function wordsOf(bytes: number): string {
  return "lorem ipsum dolor ".repeat(Math.ceil(bytes / 18)).slice(0, bytes);
}

export function textInput(text: string): readonly InputPart[] {
  return [{ type: "text", text }];
}

export interface StoredSegment {
  readonly ref: SegmentRef;
  readonly entries: readonly LogEntry[];
  readonly state: SessionState;
}

/** All segments that the Pod ever ran on, oldest first, read by somebody else. */
export async function storedTimeline(host: MemoryHost): Promise<readonly StoredSegment[]> {
  const { sessions, pods } = simulatedStores(host, new Map());
  const record = await pods.read(simulatedPod);
  if (record?.pointer.state !== "active") throw new Error("the Pod has no segment");
  const { segments, missing } = await timelineOf(sessions, record.pointer);
  if (missing !== null) throw new Error(missing.reason);
  const stored: StoredSegment[] = [];
  for (const { ref } of segments.toReversed()) stored.push(await storedSegment(host, ref));
  return stored;
}

export async function storedSegment(host: MemoryHost, ref: SegmentRef): Promise<StoredSegment> {
  const { entries } = await simulatedStores(host, new Map()).sessions.read(ref);
  return { ref, entries, state: replay(entries) };
}

/** Compactors' segments, in the order of their tries. */
export function compactorsOf(timeline: readonly StoredSegment[]): readonly SegmentId[] {
  const ids = timeline.flatMap(({ entries }) =>
    entries.flatMap((entry) =>
      "opaque" in entry || entry.kind !== "compaction_begun" || entry.compactor === null
        ? []
        : [entry.compactor],
    ),
  );
  return [...new Set(ids)];
}
