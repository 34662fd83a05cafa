/** Pods hosted by the real program, each in a process of its own: started, killed, restored; what they acknowledged is looked up in the log on disk. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findLog, linesOf } from "../support/stored-log.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { startYoi, yoiCommand, type YoiProcess, type YoiResult } from "../support/yoi-process.ts";
import { type Entry, type Hello, type Kept, type Place, RawClient } from "./raw-client.ts";

/** After this long whatever a test started is killed. */
const lifeMsMax = 600_000;
/** What it prints on stdout once clients can connect. */
const readyPattern = /^yoi-pod-ready\t/m;

export class HostedPod {
  readonly name: string;
  readonly socket: string;
  readonly #machine: Machine;
  #process: YoiProcess;

  private constructor(name: string, machine: Machine, process: YoiProcess) {
    this.name = name;
    this.#machine = machine;
    this.#process = process;
    const hash = createHash("sha256").update(name).digest("hex").slice(0, 12);
    this.socket = join(machine.home.home, "run", "s", hash);
  }

  /** Resolves when it says that it is ready. */
  static async start(name: string, machine: Machine, args: readonly string[]): Promise<HostedPod> {
    const pod = new HostedPod(name, machine, begin(machine, args));
    await pod.#process.waitFor(readyPattern);
    return pod;
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** As it stands in the file now. */
  get token(): string {
    return readFileSync(join(this.#machine.home.home, "run", "token"), "utf8");
  }

  /** What the process wrote so far. */
  get output(): string {
    const { stdout, stderr } = this.#process.output();
    return stdout + stderr;
  }

  /** How the process of now ended, when it has. */
  get ended(): Promise<YoiResult> {
    return this.#process.ended;
  }

  client(hello: Partial<Hello> = {}, kept: Kept = {}): Promise<RawClient> {
    return RawClient.open(this.socket, { token: this.token, ...hello }, kept);
  }

  /** Without a hello. */
  connection(): Promise<RawClient> {
    return RawClient.connect(this.socket);
  }

  /** Pulls the plug. Resolves when the process is gone. */
  async kill9(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#process.ended;
  }

  /** The orderly end, by a signal. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<YoiResult> {
    this.#process.kill(signal);
    return this.#process.ended;
  }

  /** A new process for the Pod whose process ended. */
  async restore(): Promise<void> {
    this.#process = begin(this.#machine, ["pod", "restore", this.name, "--foreground"]);
    await this.#process.waitFor(readyPattern);
  }

  /** Every whole entry of its log, as stored but for the checksum. */
  log(): readonly Entry[] {
    const path = findLog(this.#machine.home.home, this.name);
    if (path === null) throw new Error(`there is no log of ${this.name}`);
    const bytes = readFileSync(path);
    return linesOf(bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1)).map(
      ({ sum: _, ...entry }) => entry as Entry,
    );
  }

  /** Resident memory of the process, in bytes. */
  resident(): number {
    return statusOf(this.pid, "VmRSS");
  }

  /** Forgets what was resident so far, and how much was resident at most since then. Where the system does not let it be forgotten, since the start. */
  forgetPeak(): void {
    writeFileSync(`/proc/${this.pid}/clear_refs`, "5");
  }

  peak(): number {
    return statusOf(this.pid, "VmHWM");
  }

  async end(): Promise<void> {
    this.#process.killGroup("SIGKILL");
    await this.#process.ended.catch(() => undefined);
  }
}

export class Hosting implements AsyncDisposable {
  readonly home: TempHome;
  readonly #pods: HostedPod[] = [];
  readonly #command: string;

  /** `command`: another launcher than that of this checkout. `env`: variables beside those of a fresh machine. */
  constructor({
    command = yoiCommand,
    env = {},
  }: { readonly command?: string; readonly env?: TempHome["env"] } = {}) {
    const home = tempHome();
    this.home = { ...home, env: { ...home.env, ...env } };
    this.#command = command;
  }

  /** `scenario`: YAML that the Pod's model plays. */
  async startPod(name: string, scenario: string, flags: readonly string[] = []): Promise<HostedPod> {
    const file = `${name}.yaml`;
    writeFileSync(join(this.home.workspace, file), scenario);
    const model = flags.includes("--sandbox") ? [] : ["--sandbox", "off"];
    const args = ["pod", "start", name, "--foreground", "-m", `scripted/${file}`, ...model, ...flags];
    const pod = await HostedPod.start(name, { home: this.home, command: this.#command }, args);
    this.#pods.push(pod);
    return pod;
  }

  /** Another command of the program, to its end. */
  yoi(...args: readonly string[]): Promise<YoiResult> {
    return this.begin(...args).ended;
  }

  /** Another command that goes on. Whoever starts it ends it. */
  begin(...args: readonly string[]): YoiProcess {
    return begin({ home: this.home, command: this.#command }, args);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#pods.map((pod) => pod.end()));
    this.home[Symbol.dispose]();
  }
}

/** The independent client on its own. */
export function attachRaw(
  socket: string,
  token: string,
  role = "user",
  after: Place | null = null,
): Promise<RawClient> {
  return RawClient.open(socket, { token, role, after });
}

interface Machine {
  readonly home: TempHome;
  readonly command: string;
}

function begin({ home, command }: Machine, args: readonly string[]): YoiProcess {
  return startYoi(args, { env: home.env, cwd: home.workspace, timeoutMs: lifeMsMax, command });
}

function statusOf(pid: number, key: string): number {
  const [, kilobytes] =
    new RegExp(`^${key}:\\s+([0-9]+) kB$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}
