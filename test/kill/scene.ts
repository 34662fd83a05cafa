/** One Pod that is killed and resumed: the real program with real tools, and a loopback model that follows a plan. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  startAnthropicServer,
  type AnthropicServer,
  type RecordedRequest,
  type StreamAnswer,
} from "../support/anthropic-server.ts";
import {
  aliveIn,
  aliveWithEnv,
  eventually,
  familyOf,
  isAlive,
  type ProcessId,
} from "../support/processes.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { shownBy, type ShownRequest } from "../support/wire-blocks.ts";
import { anthropicFlags, runYoi, startYoi, type YoiProcess, type YoiResult } from "../support/yoi-process.ts";
import { committedBytes, linesOf } from "../support/stored-log.ts";
import { answerOf, effectsFile, type Plan, stepFor } from "./plan.ts";

const terminal = fileURLToPath(new URL("../support/fake-terminal.ts", import.meta.url));

/** A request as the model saw it. */
export interface SeenRequest extends ShownRequest {
  readonly sha256: string;
  /** The step of the plan that answers it. */
  readonly step: number;
  /** Which process of the Pod sent it, counted from 0. */
  readonly process: number;
  /** Its record stood in the log when the server had read it. */
  readonly recordedBefore: boolean;
}

export interface SceneOptions {
  readonly plan: Plan;
  readonly sandbox: "on" | "off";
  /** How the answer to a request is played. `index` counts requests over all processes. */
  readonly play?: (request: SeenRequest, index: number) => Partial<StreamAnswer>;
  /** Called when a request has been read whole, before it is answered. */
  readonly onSeen?: (request: SeenRequest, index: number) => void;
}

let scenes = 0;

export class Scene implements AsyncDisposable {
  readonly pod: string;
  readonly plan: Plan;
  readonly home: TempHome;
  readonly seen: SeenRequest[] = [];
  /** The committed log after each kill, and at the end. */
  readonly logs: Buffer[] = [];
  /** How each process ended. */
  readonly processes: YoiResult[] = [];
  readonly #options: SceneOptions;
  readonly #families: ProcessId[] = [];
  #server: AnthropicServer | null = null;
  #running: YoiProcess | null = null;

  private constructor(options: SceneOptions) {
    this.#options = options;
    this.plan = options.plan;
    this.home = tempHome();
    scenes += 1;
    // Of this scene alone: tool processes are looked for by it.
    this.pod = `killed-${process.pid}-${scenes}`;
  }

  static async open(options: SceneOptions): Promise<Scene> {
    const scene = new Scene(options);
    scene.#server = await startAnthropicServer({ handler: (request) => scene.#answer(request) });
    return scene;
  }

  /** Starts the Pod with its prompt, or, once that is in the log, goes on with it. */
  start(): YoiProcess {
    const prompted = this.log().some(({ kind }) => kind === "user_input");
    const { url } = this.#server ?? { url: "" };
    const flags = anthropicFlags(this.pod, url, this.#options.sandbox);
    const args = ["run", ...(prompted ? [] : ["Follow the plan."]), ...flags];
    const env = { ...this.home.env, ANTHROPIC_API_KEY: "test", NODE_OPTIONS: `--import=${terminal}` };
    this.#running = startYoi(args, { env, cwd: this.home.workspace });
    return this.#running;
  }

  /** SIGKILL to the running process, now. May be called when it has ended. */
  kill(): void {
    if (this.#running === null) return;
    this.#families.push(...familyOf(this.#running.pid));
    this.#running.kill("SIGKILL");
  }

  /** Waits for the end of the running process and keeps what it left. */
  async ended(): Promise<YoiResult> {
    if (this.#running === null) throw new Error("no process of the Pod is running");
    const result = await this.#running.ended;
    this.#running = null;
    this.processes.push(result);
    this.logs.push(committedBytes(this.home.home));
    return result;
  }

  /** Goes on until the run is over. */
  async finish(): Promise<void> {
    while (!this.finished()) {
      this.start();
      const { code, stdout, stderr } = await this.ended();
      if (code !== 0) throw new Error(`the resumed run ended with exit ${code}\n${stdout}\n${stderr}`);
    }
  }

  finished(): boolean {
    return this.log().some(({ kind }) => kind === "run_completed");
  }

  log() {
    return linesOf(committedBytes(this.home.home));
  }

  effects(): readonly string[] {
    try {
      return readFileSync(`${this.home.workspace}/${effectsFile}`, "utf8").split("\n").slice(0, -1);
    } catch {
      return [];
    }
  }

  /** Everything of this Pod that is alive: by mark, by working directory, by environment, and what the killed processes had started. */
  alive(): readonly number[] {
    return [
      ...aliveWithEnv(`YOI_CALL=${this.pod}/`),
      ...aliveWithEnv(`YOI_HOME=${this.home.home}`),
      ...aliveIn(this.home.workspace),
      ...this.#families.filter(isAlive).map(({ pid }) => pid),
    ];
  }

  nothingAlive(): Promise<void> {
    return eventually(`no process of ${this.pod} is left`, () => this.alive().length === 0);
  }

  verify(): Promise<YoiResult> {
    return runYoi(["pod", "verify", this.pod, "--wire"], { env: this.home.env, cwd: this.home.workspace });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#running?.killGroup("SIGKILL");
    await this.#running?.ended.catch(() => undefined);
    await this.#server?.close();
    this.home[Symbol.dispose]();
  }

  #answer({ raw, body }: RecordedRequest): StreamAnswer {
    const sha256 = createHash("sha256").update(raw).digest("hex");
    const shown = shownBy(body);
    const recordedBefore = committedBytes(this.home.home).includes(sha256);
    const step = stepFor(this.plan, shown.blocks);
    const seen = { ...shown, sha256, recordedBefore, step, process: this.processes.length };
    const index = this.seen.push(seen) - 1;
    this.#options.onSeen?.(seen, index);
    return answerOf(this.plan, step, this.#options.play?.(seen, index));
  }
}
