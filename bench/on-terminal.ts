/** A program on a pseudo terminal of `script`, for what the real program takes to show something. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";

export interface OnTerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const size = { columns: 100, rows: 40 } as const;
/** Of what was written last: a sign is looked for in it. */
const tailCharsMax = 64 * 1024;
const comesMsMax = 30_000;

/** Use it with `await using`: it ends with the block. */
export class OnTerminal implements AsyncDisposable {
  readonly startedMs = performance.now();
  readonly #child;
  #tail = "";
  #written = 0;
  #look: () => void = () => undefined;

  constructor(words: readonly string[], { cwd, env }: OnTerminalOptions) {
    const command = words.map((word) => `'${word}'`).join(" ");
    this.#child = spawn(
      "script",
      ["-qefc", `stty columns ${size.columns} rows ${size.rows}; exec ${command}`, "/dev/null"],
      { cwd, env: { ...env, TERM: "xterm-256color", SHELL: "/bin/sh" }, detached: true },
    );
    this.#child.stdout.setEncoding("utf8").on("data", (bytes: string) => {
      this.#tail = (this.#tail + bytes).slice(-tailCharsMax);
      this.#written += bytes.length;
      this.#look();
    });
  }

  type(text: string): void {
    this.#child.stdin.write(text);
  }

  /** Resolves with the moment at which it was written, by `performance.now()`. */
  async writes(sign: string): Promise<number> {
    const found = Promise.withResolvers<number>();
    const late = setTimeout(
      () => found.reject(new Error(`${JSON.stringify(sign)} does not come:\n${JSON.stringify(this.#tail)}`)),
      comesMsMax,
    );
    this.#look = () => {
      if (this.#tail.includes(sign)) found.resolve(performance.now());
    };
    this.#look();
    try {
      return await found.promise;
    } finally {
      clearTimeout(late);
      this.#look = () => undefined;
    }
  }

  /** Characters, all in all. */
  get written(): number {
    return this.#written;
  }

  /** What the program had resident at most, in bytes. */
  peak(): number {
    let pid = this.#child.pid ?? 0;
    for (let [child] = childrenOf(pid); child !== undefined; [child] = childrenOf(pid)) pid = child;
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmHWM:\s+([0-9]+) kB$/m.exec(status)?.[1]) * 1024;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { pid, exitCode } = this.#child;
    if (pid === undefined || exitCode !== null) return;
    const ended = once(this.#child, "exit");
    process.kill(-pid, "SIGKILL");
    await ended;
  }
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8")
      .trim()
      .split(" ")
      .filter(Boolean)
      .map(Number),
  );
}
