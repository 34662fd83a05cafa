/** Programs on real terminals: tmux holds the screen and its history, keys are typed into it, and what it shows is read back. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { aliveWithEnv } from "./processes.ts";
import { tempHome, type TempHome } from "./temp-home.ts";

let reason: string | false | undefined;

/** A reason to skip, or false. */
export function noTmux(): string | false {
  reason ??= spawnSync("tmux", ["-V"], { stdio: "ignore" }).status === 0 ? false : "no tmux";
  return reason;
}

const lookEveryMs = 20;
const pressEveryMs = 1_500;
const patienceMs = 15_000;
const toldRowsMax = 60;

/** No status line, so a window has all its rows; what ended stays on the screen. */
const configuration = `set -g status off
set -g remain-on-exit on
set -g remain-on-exit-format ""
set -g history-limit 100000
set -g default-terminal tmux-256color
set -s escape-time 0
set -s focus-events on
`;

export interface WindowOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A fresh machine with a tmux server of its own. Disposed of, the server and every process of the machine are gone. */
export class Terminals implements Disposable {
  readonly home: TempHome;
  readonly #socket: string;
  readonly #configuration: string;
  #opened = 0;

  constructor() {
    this.home = tempHome();
    this.#socket = join(this.home.root, "tmux");
    this.#configuration = join(this.home.root, "tmux.conf");
    writeFileSync(this.#configuration, configuration);
  }

  /** Starts a program on a terminal: 80 columns and 24 rows where nothing else is said. */
  open(argv: readonly string[], options: WindowOptions = {}): Window {
    const { columns = 80, rows = 24, env = {}, cwd = this.home.workspace } = options;
    const name = `w${(this.#opened += 1)}`;
    const bytes = join(this.home.root, `${name}.bytes`);
    writeFileSync(bytes, "");
    const size = ["-x", String(columns), "-y", String(rows)];
    const variables = Object.entries(env).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
    // The program begins when its bytes are kept.
    const gate = `tmux-${name}`;
    const begin = `tmux -S '${this.#socket}' wait-for ${gate}; exec "$@"`;
    const place = ["new-session", "-d", "-s", name, ...size, "-c", cwd, ...variables];
    this.#tmux([...place, "--", "sh", "-c", begin, "sh", ...argv]);
    this.#tmux(["pipe-pane", "-t", name, `cat >>'${bytes}'`]);
    this.#tmux(["wait-for", "-S", gate]);
    return new Window(name, bytes, (args, input) => this.#tmux(args, input));
  }

  #tmux(args: readonly string[], input?: string): string {
    return execFileSync("tmux", ["-S", this.#socket, "-f", this.#configuration, "-u", ...args], {
      env: this.home.env,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
      ...(input === undefined ? {} : { input }),
    });
  }

  [Symbol.dispose](): void {
    if (existsSync(this.#socket)) this.#tmux(["kill-server"]);
    for (const pid of aliveWithEnv(`YOI_HOME=${this.home.home}\0`)) end(pid);
    this.home[Symbol.dispose]();
  }
}

export class Window {
  readonly #name: string;
  readonly #bytes: string;
  readonly #tmux: (args: readonly string[], input?: string) => string;

  constructor(name: string, bytes: string, tmux: (args: readonly string[], input?: string) => string) {
    this.#name = name;
    this.#bytes = bytes;
    this.#tmux = tmux;
  }

  /** Of the program. */
  get pid(): number {
    return Number(this.#ask("#{pane_pid}"));
  }

  /** The characters, as they are. */
  type(text: string): void {
    this.#tmux(["send-keys", "-t", this.#name, "-l", "--", text]);
  }

  /** By the names that tmux has for keys: `Enter`, `Escape`, `C-c`, `M-Enter`. */
  press(...keys: readonly string[]): void {
    this.#tmux(["send-keys", "-t", this.#name, ...keys]);
  }

  /** Bracketed, where the program asked for that. */
  paste(text: string): void {
    this.#tmux(["load-buffer", "-"], text);
    this.#tmux(["paste-buffer", "-p", "-r", "-t", this.#name]);
  }

  /** The rows of the screen. */
  screen(): string {
    return this.#tmux(["capture-pane", "-p", "-t", this.#name]);
  }

  /** The rows of the screen and of the history above it; rows that the terminal broke are one again. */
  all(): string {
    return this.#tmux(["capture-pane", "-p", "-J", "-S", "-", "-t", this.#name]);
  }

  /** Every byte that the program wrote so far. */
  bytes(): string {
    return readFileSync(this.#bytes, "utf8");
  }

  resize(columns: number, rows: number): void {
    this.#tmux(["resize-window", "-t", this.#name, "-x", String(columns), "-y", String(rows)]);
  }

  /** As somebody who looks at it, or no more. */
  focus(isFocused: boolean): void {
    this.type(isFocused ? "\u001b[I" : "\u001b[O");
  }

  title(): string {
    return this.#ask("#{pane_title}");
  }

  /** Null: it goes on. */
  exit(): number | null {
    return this.#ask("#{pane_dead}") === "1" ? Number(this.#ask("#{pane_dead_status}")) : null;
  }

  async ended(): Promise<number> {
    await this.#until("it ends", () => this.exit() !== null);
    return this.exit() ?? -1;
  }

  /** Waits until the screen matches. */
  async shows(pattern: RegExp): Promise<void> {
    await this.#until(`the screen shows ${pattern}`, () => pattern.test(this.screen()));
  }

  /** Presses it again as long as nothing comes of it: a program that is just finding out what a key is to mean may let it go. */
  async pressUntil(key: string, pattern: RegExp): Promise<void> {
    let pressedMs = Number.NEGATIVE_INFINITY;
    await this.#until(`the screen shows ${pattern}`, () => {
      if (pattern.test(this.screen())) return true;
      if (performance.now() - pressedMs > pressEveryMs) {
        pressedMs = performance.now();
        this.press(key);
      }
      return false;
    });
  }

  async hides(pattern: RegExp): Promise<void> {
    await this.#until(`the screen shows no ${pattern}`, () => !pattern.test(this.screen()));
  }

  /** Waits until the screen and its history match. */
  async holds(pattern: RegExp): Promise<void> {
    await this.#until(`screen and history hold ${pattern}`, () => pattern.test(this.all()));
  }

  #ask(format: string): string {
    return this.#tmux(["display-message", "-p", "-t", this.#name, format]).trimEnd();
  }

  async #until(what: string, isSo: () => boolean): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (!isSo()) {
      if (performance.now() > deadline)
        throw new Error(`still not so after ${patienceMs} ms: ${what}\n${lastRows(this.all())}`);
      await wait(lookEveryMs);
    }
  }
}

/** As many as a failure is told by. */
function lastRows(text: string): string {
  return text.trimEnd().split("\n").slice(-toldRowsMax).join("\n");
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
