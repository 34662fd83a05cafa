/** A session that lives for weeks on a simulated machine: parts of work, each with a task of its own, and all that befalls it between and in them. Says what its model has to know in the end. */
import assert from "node:assert/strict";
import { entryId, type CommittedItem, type PodName, podName, YoiError } from "@yoi/base";
import { taskFeature } from "@yoi/builtin";
import { HostCrashed, memoryHost, type MemoryHost } from "@yoi/host";
import { compactionDefault } from "@yoi/manifest";
import type { ModelRequest } from "@yoi/model";
import { forkPod, type Pod } from "@yoi/pod";
import type { LeaseTable } from "@yoi/pod-store";
import { replay } from "@yoi/session-store";
import { type SeededRandom, seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import { answeringModel, type MadeAnswer } from "../compaction/answering-model.ts";
import { blobTool, isCompactor, shortSummary } from "../compaction/bench.ts";
import {
  dataDir,
  manifestOf,
  openSimulated,
  simulatedPod,
  simulatedStores,
} from "../support/simulated-pod.ts";

export const contextWindow = 12_000;
const partStepsMax = 40;
const resultBytesMax = 3_000;
const pauseMs = 600_000;
/** A part that has not ended after so many lives does not end. */
const livesMax = 30;

/** What happened, counted. */
export interface Counts {
  steps: number;
  requests: number;
  crashes: number;
  pauses: number;
  rewinds: number;
  forks: number;
  /** Asked for by hand. */
  compactions: number;
}

/** A place that the session was at, with the tasks that it had there. */
interface Mark {
  readonly id: string;
  readonly tasks: readonly string[];
}

export interface LifeOptions {
  readonly seed: number;
  readonly steps: number;
  /** The control: the model's tasks are not what the ledger says. */
  readonly forgets?: boolean;
}

export class Life {
  readonly counts: Counts = {
    steps: 0,
    requests: 0,
    crashes: 0,
    pauses: 0,
    rewinds: 0,
    forks: 0,
    compactions: 0,
  };
  readonly leases: LeaseTable = new Map();
  readonly #random: SeededRandom;
  readonly #options: LifeOptions;
  readonly #marks: Mark[] = [];
  /** Bytes of segments when they were seen to be left, by path. */
  readonly #left = new Map<string, string>();
  #host: MemoryHost;
  #pod: Pod | null = null;
  #tasks: readonly string[] = [];
  #part = 0;
  #stepsLeft = 0;
  /** The last part whose task the model was shown. */
  #toldPart = 0;
  /** Of the last TaskList that a model saw. */
  #listed: readonly string[] = [];

  constructor(options: LifeOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed ^ 0x10e6);
    this.#host = memoryHost({ seed: options.seed });
  }

  get host(): MemoryHost {
    return this.#host;
  }

  /** Works until so many steps are done; then the model is asked for its tasks. */
  async live(): Promise<void> {
    while (this.counts.steps < this.#options.steps) {
      await this.#work();
      await this.#mark();
      if (this.#random.below(3) === 0) await this.#goBack();
      if (this.#random.below(4) === 0) await this.#compact();
      if (this.#random.below(8) === 0) await this.#fork();
      if (this.#random.below(5) === 0) await this.#close();
    }
    await this.#judgeTasks(await this.#open(), this.#tasks);
    await this.#close();
    await this.#judgeLeft();
  }

  #model() {
    return answeringModel({
      id: "model",
      contextWindow,
      sent: () => (this.counts.requests += 1),
      answer: (request) => (isCompactor(request) ? shortSummary : this.#answer(request)),
    });
  }

  #openNamed(name: PodName): Promise<Pod> {
    const model = this.#model();
    return openSimulated({
      host: this.#host,
      leases: this.leases,
      name,
      scenario: "steps: []",
      wrapModel: () => model,
      tools: [blobTool],
      features: [taskFeature()],
      beginsOwnRuns: false,
      config: { model: "made/model", max_output_tokens: Math.floor(contextWindow / 10) },
      manifest: manifestOf({ compaction: { ...compactionDefault, prune_threshold: contextWindow } }),
    });
  }

  async #open(): Promise<Pod> {
    this.#pod ??= await this.#lived(this.#openNamed(simulatedPod));
    return this.#pod;
  }

  async #close(): Promise<void> {
    await this.#survived(async () => {
      if (this.#pod !== null) await this.#lived(this.#pod.close());
      this.#pod = null;
    });
  }

  /** What the last input asks for: its task first, then steps, then an end. It knows nothing of what was lost. */
  #answer({ items }: ModelRequest): MadeAnswer {
    const last = items.findLast(({ item }) => item.type === "user_message")?.item;
    const asked = last === undefined ? "" : JSON.stringify(last);
    if (asked.includes("List the tasks")) return this.#list(items);
    const subject = subjectOf(this.#part);
    // Shown once, it is on record: a bounded text of it may leave it out later.
    if (isTold(items, subject)) this.#toldPart = this.#part;
    if (this.#toldPart !== this.#part)
      return { calls: [{ name: "TaskCreate", args: { subject, description: "Part of it." } }] };
    if (this.#random.below(60) === 0) {
      const failure = {
        kind: "rate_limit",
        message: "Too many.",
        retryable: true,
        retryAfterMs: pauseMs,
      } as const;
      return { failure };
    }
    if (this.#stepsLeft <= 0) return { text: `Part ${this.#part} is done.` };
    this.#stepsLeft -= 1;
    this.counts.steps += 1;
    return {
      text: `step ${this.counts.steps}`,
      calls: [{ name: "Blob", args: { bytes: 1 + this.#random.below(resultBytesMax) } }],
    };
  }

  #list(items: readonly CommittedItem[]): MadeAnswer {
    const result = items.at(-1)?.item;
    if (result?.type !== "tool_result") return { calls: [{ name: "TaskList", args: {} }] };
    this.#listed = [...`${result.summary}\n${result.content ?? ""}`.matchAll(/task-\d{4}/g)].map(
      ([found]) => found,
    );
    return { text: "That is all." };
  }

  /** One part, over as many lives as it takes. */
  async #work(): Promise<void> {
    this.#part += 1;
    this.#stepsLeft = 1 + this.#random.below(partStepsMax);
    if (this.#random.below(3) === 0) this.#crashSoon();
    const submission = `part-${this.#part}`;
    const parts = [{ type: "text", text: `Do part ${this.#part}.` }] as const;
    for (let lives = 0, isOver = false; !isOver; lives += 1) {
      assert.ok(lives < livesMax, `part ${this.#part} does not end`);
      isOver = await this.#survived(async () => {
        const pod = await this.#open();
        const begun = await this.#lived(pod.begin(parts, { limits: { timeoutMs: null }, submission }));
        if (!begun.duplicate) await this.#toEnd(pod, (await this.#lived(begun.run.ended)).outcome);
        else if (pod.snapshot.state === "paused")
          await this.#toEnd(pod, (await this.#lived(pod.resume())).outcome);
      });
    }
    this.#host.disk.plan = () => "pass";
    this.#tasks = [...this.#tasks, subjectOf(this.#part)];
  }

  async #toEnd(pod: Pod, first: Awaited<ReturnType<Pod["resume"]>>["outcome"]): Promise<void> {
    for (let outcome = first; outcome.kind !== "finished";) {
      assert.ok(
        outcome.kind === "paused" && outcome.reason === "provider_limit",
        `part ${this.#part}: ${JSON.stringify(outcome)}`,
      );
      this.counts.pauses += 1;
      await this.#host.advance(pauseMs + 1);
      outcome = (await this.#lived(pod.resume())).outcome;
    }
  }

  async #mark(): Promise<void> {
    const { segment, session } = (await this.#open()).snapshot;
    const { sessions } = simulatedStores(this.#host, this.leases);
    const { generation, lastSeq } = replay((await sessions.read({ session, segment })).entries);
    this.#marks.push({ id: entryId(generation, lastSeq), tasks: this.#tasks });
    await this.#noteLeft(segment);
  }

  async #goBack(): Promise<void> {
    const mark = this.#marks[this.#random.below(this.#marks.length)];
    if (mark === undefined) return;
    const { segment } = (await this.#open()).snapshot;
    if (this.#random.below(3) === 0) this.#crashSoon();
    await this.#survived(async () => {
      const pod = await this.#open();
      await this.#lived(pod.rewind({ id: mark.id, side: "behind" })).catch((error: unknown) => {
        if (!(error instanceof YoiError) || error.code !== "rewind_refused") throw error;
      });
    });
    this.#host.disk.plan = () => "pass";
    if ((await this.#open()).snapshot.segment === segment) return;
    this.counts.rewinds += 1;
    this.#tasks = mark.tasks;
  }

  async #compact(): Promise<void> {
    const { segment } = (await this.#open()).snapshot;
    await this.#survived(async () => {
      const pod = await this.#open();
      await this.#lived(pod.compact()).catch((error: unknown) => {
        if (!(error instanceof YoiError) || error.code !== "compaction_failed") throw error;
      });
    });
    if ((await this.#open()).snapshot.segment !== segment) this.counts.compactions += 1;
  }

  async #fork(): Promise<void> {
    const mark = this.#marks[this.#random.below(this.#marks.length)];
    if (mark === undefined) return;
    await this.#close();
    const name = podName(`fork-${this.counts.forks}`);
    const target = { id: mark.id, side: "behind" } as const;
    const request = { source: simulatedPod, name, target, ids: this.#host.ids, version: "1" };
    await this.#lived(forkPod(simulatedStores(this.#host, this.leases), request));
    this.counts.forks += 1;
    const pod = await this.#lived(this.#openNamed(name));
    const before = this.counts.requests;
    await this.#judgeTasks(pod, mark.tasks);
    await this.#lived(pod.close());
    // Counted in its own session.
    this.counts.requests = before;
  }

  async #judgeTasks(pod: Pod, tasks: readonly string[]): Promise<void> {
    this.#listed = [];
    const { outcome } = await this.#lived(pod.submit([{ type: "text", text: "List the tasks." }]));
    assert.equal(outcome.kind, "finished", JSON.stringify(outcome));
    const known = this.#options.forgets === true ? this.#listed.slice(1) : this.#listed;
    assert.deepEqual([...new Set(known)].toSorted(), tasks.toSorted(), `tasks at part ${this.#part}`);
  }

  /** A power cut at one of the next operations. */
  #crashSoon(): void {
    const at = this.#host.disk.operations + 1 + this.#random.below(120);
    this.#host.disk.plan = ({ index, kind }) => (index >= at && kind !== "read" ? "crash" : "pass");
  }

  /** False: the machine lost its power in it, and is up again. */
  async #survived(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof HostCrashed)) throw error;
      this.counts.crashes += 1;
      this.#host = this.#host.restart();
      this.#pod = null;
      return false;
    }
  }

  /** What died with the machine may never settle. */
  async #lived<T>(work: Promise<T>): Promise<T> {
    let isSettled = false;
    const done = () => void (isSettled = true);
    work.then(done, done);
    while (!isSettled && !this.#host.crashed) await new Promise((resolve) => setImmediate(resolve));
    if (this.#host.crashed) throw new HostCrashed();
    return work;
  }

  /** Every segment but the one that is open, as it is when it is first seen. */
  async #noteLeft(open: string): Promise<void> {
    const { session } = (await this.#open()).snapshot;
    const folder = `${dataDir}/sessions/${session}`;
    for (const name of await this.#host.files.list(folder)) {
      const path = `${folder}/${name}`;
      if (!name.endsWith(".jsonl") || name.startsWith(open) || this.#left.has(path)) continue;
      this.#left.set(path, await this.#bytesOf(path));
    }
  }

  async #judgeLeft(): Promise<void> {
    for (const [path, bytes] of this.#left)
      assert.equal(await this.#bytesOf(path), bytes, `${path} changed after it was left`);
  }

  async #bytesOf(path: string): Promise<string> {
    return Buffer.from((await this.#host.files.read(path)) ?? []).toString("latin1");
  }
}

const subjectOf = (part: number) => `task-${String(part).padStart(4, "0")}`;

/** By a result, or by what is kept of it over a compaction. */
function isTold(items: readonly CommittedItem[], subject: string): boolean {
  return items.some(({ item }) => {
    if (item.type === "tool_result")
      return !item.is_error && `${item.summary}\n${item.content ?? ""}`.includes(subject);
    return item.type === "system_item" && item.body.includes(subject);
  });
}
