/** Bash: runs a command in the workspace, held by the sandbox. */
import {
  type CallId,
  type PodName,
  type Scope,
  type Timers,
  type Tool,
  type ToolOutput,
  YoiError,
} from "@yoi/base";
import type { Files } from "@yoi/host";
import type { CommandExit, CommandRunner } from "@yoi/sandbox";
import { childOf } from "@yoi/scope";
import { readArguments, schemaOf } from "./arguments.ts";
import type { CommandTouches } from "./copies/command-touches.ts";
import {
  type CommandOutput,
  createCommandOutput,
  inlineBytesMax,
  inlineLinesMax,
  keptHeadBytes,
  keptTailBytes,
} from "./output-tail.ts";
import { createProgress } from "./progress.ts";

export const timeoutDefaultS = 120;
export const timeoutMaxS = 600;
/** Characters of the command's first line in the summary. */
const shownCommandMax = 80;
/** Linux refuses a longer single argument. */
export const commandBytesMax = 120 * 1024;

const fields = {
  command: { type: "string", description: "A command for bash." },
  timeout_s: {
    type: "integer",
    description: `Seconds after which the command and everything it started is ended. Default ${timeoutDefaultS}.`,
    min: 1,
    max: timeoutMaxS,
    optional: true,
  },
} as const;

export interface BashOptions {
  readonly pod: PodName;
  /** Canonical; where commands run. */
  readonly workspace: string;
  readonly runner: CommandRunner;
  readonly scope: () => Scope;
  readonly network: boolean;
  /** `<data>/spill/<pod>`: where output goes that is too long to show. */
  readonly spillDirectory: string;
  /** Writes there. */
  readonly hostFiles: Files;
  readonly timers: Timers;
  /** For one command: takes credentials out of what it prints, before anything is shown or kept. Default: it is left as it is. */
  readonly outputFilter?: () => OutputFilter;
}

/** Bytes that come in pieces; it may hold some back until it knows what they are, and gives those at the end. */
export interface OutputFilter {
  add(piece: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

/** @param touches says what a command did to files; null: nobody asks. */
export function bashTool(options: BashOptions, touches: CommandTouches | null = null): Tool {
  return {
    definition: {
      name: "Bash",
      description:
        "Runs a command with bash in the workspace. Each call is a new shell: directory and variables are not kept, there is no input, and " +
        "what runs in the background ends with the command. Output and errors come together in order. " +
        `Output of more than ${inlineLinesMax} lines or ${inlineBytesMax / 1024} KiB is kept in a file that Read can show; its end is returned. ` +
        "A command that fails is shown with its exit code in the first line.",
      input_schema: schemaOf(fields),
    },
    readOnly: false,
    // A command may use any file that the scope names, in the workspace or not.
    claim: () => ({ path: "/", mode: "exclusive" }),
    execute: async (args, context) => {
      const { command, timeout_s = timeoutDefaultS } = readArguments("Bash", fields, args);
      if (command.trim() === "") throw new YoiError("usage", "The command is empty.");
      if (Buffer.byteLength(command) > commandBytesMax) {
        throw new YoiError(
          "limit_exceeded",
          `The command is longer than ${commandBytesMax} bytes: write it to a file and run that.`,
        );
      }
      const output = createCommandOutput();
      const progress = createProgress(context.progress, options.timers);
      const filter = options.outputFilter?.() ?? null;
      const show = (chunk: Uint8Array): void => {
        output.add(chunk);
        progress.add(chunk);
      };
      try {
        const recordOf = await touches?.begin();
        const exit = await options.runner.run({
          pod: options.pod,
          call: context.call,
          script: command,
          cwd: options.workspace,
          scope: options.scope(),
          network: options.network,
          timeoutMs: timeout_s * 1000,
          signal: context.signal,
          onOutput: (chunk) => show(filter === null ? chunk : filter.add(chunk)),
        });
        if (filter !== null) show(filter.end());
        const record = await recordOf?.();
        const result = await resultOf(options, context.call, command, exit, timeout_s, output);
        return withNotes(exit, record === undefined ? result : { ...result, record });
      } finally {
        progress.close();
      }
    },
  };
}

/** What was done after the command comes first: a long output is not read to its end. */
function withNotes({ notes = [] }: CommandExit, result: ToolOutput): ToolOutput {
  if (notes.length === 0) return result;
  const lines = notes.map((note) => `[${note}]`);
  return {
    ...result,
    alerts: notes,
    content: [...lines, ...(result.content === undefined ? [] : [result.content])].join("\n"),
  };
}

async function resultOf(
  options: BashOptions,
  call: CallId,
  command: string,
  exit: CommandExit,
  timeoutS: number,
  output: CommandOutput,
): Promise<ToolOutput> {
  const summary = `$ ${firstLine(command)}${endOf(exit, timeoutS)}`;
  const isError = exit.kind === "cancelled" ? { is_error: true } : {};
  if (output.bytes === 0)
    return {
      summary: `${summary}${exit.kind === "exited" && exit.code === 0 ? " (no output)" : ""}`,
      ...isError,
    };
  if (output.isShort()) return { summary, content: output.tail(), ...isError };
  const shown = output.tail();
  const where = await spill(options, call, output);
  const header = `[${output.lines} lines, ${output.bytes} bytes in all; the last ${shown.split("\n").length} lines follow; ${where}]`;
  return { summary, content: `${header}\n${shown}`, ...isError };
}

/** A result without its file is still a result: the failure is said where the file would be named. */
async function spill(
  { hostFiles, spillDirectory }: BashOptions,
  call: CallId,
  output: CommandOutput,
): Promise<string> {
  const path = childOf(spillDirectory, `${call}.log`);
  try {
    await hostFiles.makeDirectory(spillDirectory);
    await hostFiles.replace(path, output.kept());
  } catch (thrown) {
    if (!(thrown instanceof YoiError)) throw thrown;
    return `the rest could not be kept: ${thrown.message}`;
  }
  const whole = output.bytes <= keptHeadBytes + keptTailBytes;
  return whole ? `all of it: ${path}` : `the first ${keptHeadBytes} and last ${keptTailBytes} bytes: ${path}`;
}

function firstLine(command: string): string {
  const [first = ""] = command.trim().split("\n");
  return first.length > shownCommandMax || first.length < command.trim().length
    ? `${first.slice(0, shownCommandMax)}...`
    : first;
}

function endOf(exit: CommandExit, timeoutS: number): string {
  switch (exit.kind) {
    case "exited":
      return exit.code === 0 ? "" : ` (exit ${exit.code})`;
    case "signalled":
      return ` (ended by ${exit.signal})`;
    case "timed_out":
      return ` (timed out after ${timeoutS} s; everything it started was ended)`;
    case "cancelled":
      return " (cancelled; everything it started was ended)";
  }
}
