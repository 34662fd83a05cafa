/** A person at a terminal: the real program, whose stdin says that it is one and stays open, so that lines can be typed while it runs. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { TempHome } from "../support/temp-home.ts";
import { yoiCommand } from "../support/yoi-process.ts";

const terminal = `--import=${fileURLToPath(new URL("../support/fake-terminal-input.ts", import.meta.url))}`;
const patienceMs = 20_000;

export class Terminal implements Disposable {
  stdout = "";
  stderr = "";
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #watchers = new Set<() => void>();

  constructor(home: TempHome, args: readonly string[]) {
    this.#child = spawn(yoiCommand, args, {
      cwd: home.workspace,
      env: { ...home.env, NODE_OPTIONS: terminal },
      stdio: "pipe",
    });
    for (const name of ["stdout", "stderr"] as const) {
      this.#child[name].setEncoding("utf8").on("data", (text: string) => {
        this[name] += text;
        for (const watch of this.#watchers) watch();
      });
    }
    this.ended = once(this.#child, "close").then(([code]) => {
      for (const watch of this.#watchers) watch();
      return code as number | null;
    });
  }

  type(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** Ctrl-D. */
  endInput(): void {
    this.#child.stdin.end();
  }

  /** As Ctrl-C does. */
  interrupt(): void {
    this.#child.kill("SIGINT");
  }

  /** As `head` does when it has enough. */
  stopReading(): void {
    this.#child.stdout.destroy();
  }

  /** Resolves when one of the outputs matches. */
  async shows(pattern: RegExp): Promise<void> {
    const shown = Promise.withResolvers<void>();
    const watch = (): void => {
      if (pattern.test(this.stdout) || pattern.test(this.stderr)) shown.resolve();
      else if (this.#child.exitCode !== null) shown.reject(new Error(`it ended without ${pattern}`));
    };
    const late = setTimeout(() => shown.reject(new Error(`it does not show ${pattern}`)), patienceMs);
    this.#watchers.add(watch);
    watch();
    try {
      await shown.promise;
    } catch (error) {
      throw new Error(`${String(error)}\n${this.stdout}\n${this.stderr}`, { cause: error });
    } finally {
      clearTimeout(late);
      this.#watchers.delete(watch);
    }
  }

  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL");
  }
}
