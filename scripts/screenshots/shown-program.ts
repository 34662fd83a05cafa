/** A program on a terminal of its own, whose bytes go into the emulator: what it shows, cell by cell, and keys for it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { emulator } from "../../packages/tui/test/support/emulator.ts";

export const size = { columns: 100, rows: 30 } as const;

/** What has not come by then does not come. */
const comesMsMax = 20_000;
/** So long nothing may be written before a picture is taken: a tick of the terminal has passed then. */
const quietMs = 400;

export interface ProgramOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Use it with `await using`: the program ends with the block. */
export class ShownProgram implements AsyncDisposable {
  readonly seen = emulator(size.columns, size.rows);
  readonly #child: ChildProcess;
  #answered = 0;
  #hasCursor = true;
  #writtenMs = performance.now();

  /** @param command for a POSIX shell. */
  constructor(command: string, { cwd, env }: ProgramOptions) {
    this.#child = spawn(
      "script",
      ["-qefc", `stty columns ${size.columns} rows ${size.rows}; exec ${command}`, "/dev/null"],
      { cwd, env: { ...env, TERM: "xterm-256color", SHELL: "/bin/sh" }, detached: true },
    );
    this.#child.stdout?.setEncoding("utf8").on("data", (bytes: string) => {
      this.#writtenMs = performance.now();
      this.seen.write(bytes);
      const shows = bytes.lastIndexOf("\u001b[?25h");
      const hides = bytes.lastIndexOf("\u001b[?25l");
      if (shows !== hides) this.#hasCursor = shows > hides;
      // What the terminal is asked is answered as a terminal does it.
      for (const answer of this.seen.answers.slice(this.#answered)) this.type(answer);
      this.#answered = this.seen.answers.length;
    });
  }

  /** Null: hidden. */
  get cursor(): { readonly row: number; readonly column: number } | null {
    return this.#hasCursor ? this.seen.cursor() : null;
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** Resolves when it is shown, and nothing moves any more. */
  async shows(pattern: RegExp): Promise<void> {
    await this.appears(pattern);
    await this.settles();
  }

  /** Also where it goes on moving. */
  async appears(pattern: RegExp): Promise<void> {
    const since = performance.now();
    while (!pattern.test(this.seen.screen().join("\n"))) {
      if (this.#child.exitCode !== null || performance.now() - since > comesMsMax)
        throw new Error(`${pattern} is not shown:\n${this.seen.text().join("\n")}`);
      await wait(20);
    }
  }

  async settles(): Promise<void> {
    const since = performance.now();
    while (performance.now() - this.#writtenMs < quietMs) {
      if (performance.now() - since > comesMsMax) throw new Error("what is shown does not come to rest");
      await wait(20);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { pid, exitCode } = this.#child;
    if (pid === undefined || exitCode !== null) return;
    const ended = once(this.#child, "exit");
    process.kill(-pid, "SIGTERM");
    await ended;
  }
}
