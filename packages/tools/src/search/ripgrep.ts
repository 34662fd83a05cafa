/** ripgrep, through the sandbox package: it is given files that were found before, and nothing else to look at. */
import { realpathSync } from "node:fs";
import { type CallId, messageOf, type PodName, type Scope, type Timers, YoiError } from "@yoi/base";
import type { CommandEnd, CommandRunner } from "@yoi/sandbox";

/** Most bytes of what one run prints. */
export const printedBytesMax = 16 * 1024 * 1024;
/** Most bytes of what it complains about that are kept. */
const complaintBytesMax = 256 * 1024;
/** How long one search may take, all its runs together. */
export const searchMsMax = 30_000;

export interface RipgrepOptions {
  readonly pod: PodName;
  readonly runner: CommandRunner;
  readonly scope: () => Scope;
  readonly timers: Timers;
}

/** One search: its time, and the call that it is for. */
export interface SearchTime {
  readonly call: CallId;
  /** Aborted on cancel and when the time is over. */
  readonly signal: AbortSignal;
  /** Throws when the search has to end. */
  check(): void;
}

/** Runs `work` with a limited time. */
export async function withinTime<T>(
  context: { readonly call: CallId; readonly signal: AbortSignal },
  timers: Timers,
  work: (time: SearchTime) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const cancel = timers.after(searchMsMax, () => limit.abort());
  const signal = AbortSignal.any([context.signal, limit.signal]);
  const check = (): void => {
    if (context.signal.aborted) throw new YoiError("cancelled", "The search was cancelled.");
    if (limit.signal.aborted)
      throw new YoiError(
        "limit_exceeded",
        `The search took longer than ${searchMsMax / 1000} s and was ended: name a directory further down in path, or a narrower glob.`,
      );
  };
  try {
    return await work({ call: context.call, signal, check });
  } finally {
    cancel();
  }
}

export interface Printed {
  readonly end: CommandEnd;
  readonly output: Buffer;
  readonly complaints: string;
  /** It printed more than `printedBytesMax` and was ended. */
  readonly isTooMuch: boolean;
}

export class Ripgrep {
  readonly #options: RipgrepOptions;
  #file: Promise<string> | null = null;
  #types: Promise<ReadonlyMap<string, readonly string[]>> | null = null;

  constructor(options: RipgrepOptions) {
    this.#options = options;
  }

  /** In the sandbox it can open by their paths what the scope lets be read. Without one it is given descriptors. */
  get opensPaths(): boolean {
    return this.#options.runner.status.mode === "bubblewrap";
  }

  async run(args: readonly string[], descriptors: readonly number[], time: SearchTime): Promise<Printed> {
    time.check();
    const { runner, pod, scope } = this.#options;
    this.#file ??= findRipgrep();
    const file = await this.#file;
    const chunks: Buffer[] = [];
    const complaints: Buffer[] = [];
    let [printed, complained, isTooMuch] = [0, 0, false];
    const tooMuch = new AbortController();
    const end = await runner.runProgram({
      pod,
      call: time.call,
      file,
      args: ["--no-config", ...args],
      scope: scope(),
      descriptors,
      timeoutMs: searchMsMax,
      signal: AbortSignal.any([time.signal, tooMuch.signal]),
      onOutput: (chunk) => {
        printed += chunk.length;
        if (printed <= printedBytesMax) chunks.push(Buffer.from(chunk));
        else if (!isTooMuch) {
          isTooMuch = true;
          tooMuch.abort();
        }
      },
      onError: (chunk) => {
        if (complained < complaintBytesMax) complaints.push(Buffer.from(chunk));
        complained += chunk.length;
      },
    });
    if (!isTooMuch) {
      time.check();
      if (end.kind === "timed_out" || end.kind === "cancelled" || end.kind === "signalled")
        throw new YoiError(
          "io_failed",
          `ripgrep ended before the search did (${end.kind === "signalled" ? end.signal : end.kind}): try again.`,
        );
    }
    const output = Buffer.concat(chunks);
    return { end, output, complaints: Buffer.concat(complaints).toString("latin1"), isTooMuch };
  }

  /** The globs of a type of files, such as `ts`; null where there is no such type. */
  async typeGlobs(type: string, time: SearchTime): Promise<readonly string[] | null> {
    this.#types ??= this.#readTypes(time);
    try {
      return (await this.#types).get(type) ?? null;
    } catch (thrown) {
      this.#types = null;
      throw thrown;
    }
  }

  async #readTypes(time: SearchTime): Promise<ReadonlyMap<string, readonly string[]>> {
    const { output } = await this.run(["--type-list"], [], time);
    const lines = output.toString("utf8").split("\n").filter(Boolean);
    return new Map(
      lines.map((line): [string, string[]] => {
        const colon = line.indexOf(": ");
        return [line.slice(0, colon), line.slice(colon + 2).split(", ")];
      }),
    );
  }
}

/** The package says at import that it has nothing for this machine. */
async function findRipgrep(): Promise<string> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return realpathSync(rgPath);
  } catch (cause) {
    throw new YoiError(
      "io_failed",
      `Grep needs ripgrep, and the package @vscode/ripgrep has none here (${messageOf(cause)}): install yoi again without leaving out optional packages, or search with the Bash tool.`,
      { cause },
    );
  }
}
