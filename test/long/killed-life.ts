/** A session of the real program that is killed again and again, compacted, taken back and forked between, against a model on the loopback that makes a task for each part. */
import assert from "node:assert/strict";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type SeededRandom, seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import {
  type AnthropicServer,
  startAnthropicServer,
  type StreamAnswer,
} from "../support/anthropic-server.ts";
import { type TempHome, tempHome } from "../support/temp-home.ts";
import { shownBy, type WireBlock } from "../support/wire-blocks.ts";
import { anthropicFlags, runYoi, startYoi, type YoiResult } from "../support/yoi-process.ts";

const pod = "long";
const listing = "List the tasks.";
/** Small, so that history is compacted by itself too. */
const contextWindow = 24_000;
const bytesOfToken = 4;
const readBytes = 6_000;
const killsOfPartMax = 3;
const startMsMax = 400;

export interface KilledOptions {
  readonly seed: number;
  readonly steps: number;
  /** Of a part at most. */
  readonly partSteps: number;
}

interface Mark {
  /** Of an input. */
  readonly id: string;
  /** The tasks that there were before it. */
  readonly tasks: readonly string[];
}

export class KilledLife implements AsyncDisposable {
  readonly counts = { steps: 0, kills: 0, compactions: 0, rewinds: 0, forks: 0 };
  readonly #home: TempHome = tempHome();
  readonly #random: SeededRandom;
  readonly #options: KilledOptions;
  readonly #marks: Mark[] = [];
  /** Bytes of logs that were left, by path. */
  readonly #left = new Map<string, string>();
  #server: AnthropicServer | null = null;
  #tasks: readonly string[] = [];
  #asked = "";
  #part = 0;
  #toldPart = 0;
  #stepsLeft = 0;
  #listed = "";

  private constructor(options: KilledOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed ^ 0x4b111ed);
    const { home, workspace } = this.#home;
    mkdirSync(join(home, "config"), { mode: 0o700 });
    const model = `[[models]]\nref = "anthropic/claude-sonnet-4-5"\ncontext_window = ${contextWindow}\nmax_output_tokens = 2000\n`;
    writeFileSync(join(home, "config", "config.toml"), model);
    for (let file = 0; file < 10; file += 1)
      writeFileSync(join(workspace, `${file}.txt`), `file ${file} lorem ipsum\n`.repeat(readBytes / 20));
  }

  static async open(options: KilledOptions): Promise<KilledLife> {
    const life = new KilledLife(options);
    life.#server = await startAnthropicServer({ handler: ({ body, raw }) => life.#answer(body, raw.length) });
    return life;
  }

  async live(): Promise<void> {
    while (this.counts.steps < this.#options.steps) {
      await this.#work();
      await this.#compact();
      await this.#goBack();
      await this.#fork();
    }
    await this.#judgeTasks(pod, this.#tasks);
    await this.#done("pod", "verify", pod, "--wire");
    await this.#done("usage", pod, "--verify");
    for (const [path, bytes] of this.#left)
      assert.equal(readFileSync(path, "latin1"), bytes, `${path} changed after it was left`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.close();
    this.#home[Symbol.dispose]();
  }

  #answer(body: unknown, bytes: number): StreamAnswer {
    const usage = { input: Math.ceil(bytes / bytesOfToken) };
    const call = (name: string, args: object): StreamAnswer => ({
      blocks: [{ type: "tool_call", name, arguments: args }],
      usage,
    });
    const { head, blocks } = shownBy(body);
    if (JSON.stringify(head["tools"]).includes('"write_summary"'))
      return call("write_summary", { summary: "It went on.", constraints: [], current_work: "", files: [] });
    const last = blocks.at(-1);
    if (this.#asked === listing) {
      if (last?.type !== "tool_result") return call("TaskList", {});
      this.#listed = JSON.stringify(last.fields);
      return { blocks: [{ type: "text", text: "That is all." }], usage };
    }
    const subject = subjectOf(this.#part);
    if (blocks.some((block) => isTold(block, subject))) this.#toldPart = this.#part;
    if (this.#toldPart !== this.#part) return call("TaskCreate", { subject, description: "Part of it." });
    if (this.#stepsLeft <= 0) return { blocks: [{ type: "text", text: "It is done." }], usage };
    this.#stepsLeft -= 1;
    this.counts.steps += 1;
    const { workspace } = this.#home;
    const file_path = join(workspace, `${this.#random.below(10)}.txt`);
    return call("Read", { file_path, offset: 1 + this.#random.below(100) });
  }

  /** One part: killed up to three times, and gone on with until it is over. */
  async #work(): Promise<void> {
    this.#part += 1;
    this.#stepsLeft = 1 + this.#random.below(this.#options.partSteps);
    this.#asked = `Do part ${this.#part}.`;
    const kills = this.#random.below(killsOfPartMax + 1);
    for (let killed = 0; ; killed += 1) {
      const yoi = startYoi(this.#line(pod, this.#asked), this.#place);
      if (killed < kills) {
        await Promise.race([delay(this.#random.below(startMsMax)), yoi.ended]);
        yoi.kill("SIGKILL");
      }
      const { code, signal, stderr } = await yoi.ended;
      if (signal === "SIGKILL") {
        this.counts.kills += 1;
        continue;
      }
      // Exit 2: the last life had come to its end before it was killed, so that there is nothing to resume.
      assert.ok(code === 0 || (code === 2 && killed > 0), stderr);
      break;
    }
    await this.#mark();
    this.#tasks = [...this.#tasks, subjectOf(this.#part)];
  }

  /** A prompt that is on record already is not given again. */
  #line(name: string, text: string): readonly string[] {
    const { url } = this.#server ?? { url: "" };
    return ["run", ...anthropicFlags(name, url, "off"), ...(this.#isOnRecord(text) ? [] : [text])];
  }

  #isOnRecord(text: string): boolean {
    const input = `"parts":[{"type":"text","text":${JSON.stringify(text)}}]`;
    return text !== listing && this.#logs().some((path) => readFileSync(path, "utf8").includes(input));
  }

  #logs(): readonly string[] {
    return globSync(join(this.#home.home, "sessions", "*", "*.jsonl"));
  }

  get #place() {
    const { workspace: cwd, env } = this.#home;
    return { cwd, env: { ...env, ANTHROPIC_API_KEY: "test" } };
  }

  async #done(...args: readonly string[]): Promise<YoiResult> {
    const result = await runYoi(args, this.#place);
    assert.equal(result.code, 0, `yoi ${args.join(" ")}: ${result.stdout}${result.stderr}`);
    return result;
  }

  /** The input of the part that was done last, where it still stands. */
  async #mark(): Promise<void> {
    const { stdout } = await this.#done("pod", "rewind", pod, "--json");
    const { targets } = JSON.parse(stdout) as {
      readonly targets: readonly { readonly id: string; readonly kind: string; readonly preview: string }[];
    };
    const input = targets.find(({ kind, preview }) => kind === "input" && preview === this.#asked);
    if (input !== undefined) this.#marks.push({ id: input.id, tasks: this.#tasks });
  }

  async #compact(): Promise<void> {
    if (this.#random.below(3) !== 0) return;
    const { code, stderr } = await runYoi(["pod", "compact", pod], this.#place);
    assert.ok(code === 0 || /nothing|little/.test(stderr), stderr);
    if (code === 0) this.counts.compactions += 1;
  }

  async #goBack(): Promise<void> {
    const mark = this.#marks[this.#random.below(this.#marks.length)];
    if (mark === undefined || this.#random.below(3) !== 0) return;
    const { stdout } = await this.#done("pod", "show", pod, "--json");
    const { segment_id: open } = JSON.parse(stdout) as { readonly segment_id: string };
    await this.#done("pod", "rewind", pod, "--before", mark.id);
    this.counts.rewinds += 1;
    this.#tasks = mark.tasks;
    for (const path of this.#logs())
      if (path.endsWith(`${open}.jsonl`)) this.#left.set(path, readFileSync(path, "latin1"));
  }

  async #fork(): Promise<void> {
    const mark = this.#marks[this.#random.below(this.#marks.length)];
    if (mark === undefined || this.#random.below(4) !== 0) return;
    const name = `fork-${this.counts.forks}`;
    await this.#done("pod", "fork", pod, name, "--before", mark.id);
    this.counts.forks += 1;
    await this.#judgeTasks(name, mark.tasks);
    await this.#done("pod", "verify", name, "--wire");
  }

  async #judgeTasks(name: string, tasks: readonly string[]): Promise<void> {
    this.#asked = listing;
    this.#listed = "";
    await this.#done(...this.#line(name, listing));
    const found = new Set([...this.#listed.matchAll(/task-\d{4}/g)].map(([subject]) => subject));
    assert.deepEqual([...found].toSorted(), tasks.toSorted(), `tasks of ${name} at part ${this.#part}`);
  }
}

const subjectOf = (part: number) => `task-${String(part).padStart(4, "0")}`;

/** By a result, or by what is kept of it over a compaction. */
function isTold({ role, fields }: WireBlock, subject: string): boolean {
  return role === "user" && fields["is_error"] !== true && JSON.stringify(fields).includes(subject);
}
