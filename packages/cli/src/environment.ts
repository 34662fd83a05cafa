/** The one place that reads the process: environment variables, working directory, streams, terminal. */
import { isUtf8 } from "node:buffer";
import { fstatSync, realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Readable } from "node:stream";
import { YoiError } from "@yoi/base";
import { type Directories, directories } from "@yoi/manifest";

export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly directories: Directories;
  /** Throws workspace_missing when it was removed: what needs no directory works without. */
  readonly workingDirectory: () => string;
  /** Canonical; null when there is none to protect. */
  readonly home: string | null;
  readonly stdin: StdinKind;
  readonly stdoutIsTerminal: boolean;
  readonly stderr: { readonly isTerminal: boolean; readonly columns: number };
}

export function readEnvironment(): Environment {
  const variables = { ...process.env };
  return {
    variables,
    directories: directories(variables),
    workingDirectory,
    home: canonicalHome(variables["HOME"]),
    stdin: stdinKind(),
    stdoutIsTerminal: process.stdout.isTTY === true,
    stderr: {
      isTerminal: process.stderr.isTTY === true && variables["TERM"] !== "dumb",
      columns: process.stderr.columns ?? 80,
    },
  };
}

/** A terminal for input and output that can do more than lines. */
export function isRichTerminal({ variables, stdin, stdoutIsTerminal }: Environment): boolean {
  return stdin === "terminal" && stdoutIsTerminal && variables["TERM"] !== "dumb";
}

export interface Screen {
  readonly columns: number;
  readonly rows: number;
}

/** Where the terminal does not say. */
const usualScreen: Screen = { columns: 80, rows: 24 };

/** The terminal that is written to, as large as it is now; null: stdout is none. */
export function stdoutScreen(): Screen | null {
  const { isTTY, columns, rows } = process.stdout;
  if (isTTY !== true) return null;
  return { columns: columns || usualScreen.columns, rows: rows || usualScreen.rows };
}

/** pipe: a regular file or a pipe, whose end comes from whoever wrote it. other: a socket, /dev/null, closed. */
export type StdinKind = "terminal" | "pipe" | "other";

function stdinKind(): StdinKind {
  if (process.stdin.isTTY === true) return "terminal";
  try {
    const stat = fstatSync(0);
    return stat.isFile() || stat.isFIFO() ? "pipe" : "other";
  } catch {
    return "other";
  }
}

function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new YoiError(
      "workspace_missing",
      "The current directory was removed: change to another one, or name a workspace with -C and its whole path.",
      { cause: error },
    );
  }
}

/** The largest prompt, in bytes. */
export const promptBytesMax = 16 * 1024 * 1024;

/** All of standard input as text. `replaced`: it held bytes that are not UTF-8; they became U+FFFD. A signal that aborts closes it, and its reason is thrown. */
export async function readStdin(
  signal: AbortSignal,
  stream: Readable = process.stdin,
): Promise<{ readonly text: string; readonly replaced: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const close = (): void => void stream.destroy(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener("abort", close, { once: true });
  using _ = { [Symbol.dispose]: () => signal.removeEventListener("abort", close) };
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > promptBytesMax) {
      throw new YoiError(
        "usage",
        `The prompt on standard input has more than ${promptBytesMax} bytes: put it into a file of the workspace and name the file in the prompt.`,
      );
    }
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  return { text: bytes.toString("utf8"), replaced: !isUtf8(bytes) };
}

export interface Questions extends Disposable {
  /** Asks on stderr and reads one line of standard input; null at its end. */
  readonly ask: (question: string) => Promise<string | null>;
}

/** For a person at the terminal. Lines that were typed ahead answer the next question. A signal that aborts ends a question with its reason. */
export async function openQuestions(signal: AbortSignal): Promise<Questions> {
  // No other command pays for loading it.
  const { createInterface } = await import("node:readline");
  const lines = createInterface({ input: process.stdin, terminal: false, signal });
  const typed = lines[Symbol.asyncIterator]();
  return {
    ask: async (question) => {
      process.stderr.write(question);
      const next = await typed.next();
      signal.throwIfAborted();
      return next.done === true ? null : next.value;
    },
    [Symbol.dispose]: () => lines.close(),
  };
}

export interface TypedLines extends Disposable {
  /** Ends with the input (Ctrl-D), or when this is disposed of. */
  readonly lines: AsyncIterable<string>;
}

/** What a person types at the terminal, a line at a time. `echoed` is called as soon as one stands there. */
export async function openTypedLines(echoed: () => void): Promise<TypedLines> {
  const { createInterface } = await import("node:readline");
  const lines = createInterface({ input: process.stdin, terminal: false });
  lines.on("line", echoed);
  return { lines, [Symbol.dispose]: () => lines.close() };
}

function canonicalHome(home: string | undefined): string | null {
  if (home === undefined || !isAbsolute(home)) return null;
  try {
    return realpathSync(home);
  } catch {
    return null;
  }
}
