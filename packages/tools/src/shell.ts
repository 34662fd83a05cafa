/** Shell: one command with bash in the workspace, from its start to what is told of it. Whoever asked for it, it is held by the same sandbox. */
import {
  type CallId,
  type PodName,
  type Scope,
  type Timers,
  type ToolContext,
  type ToolOutput,
  YoiError,
} from "@yoi/base";
import type { Files } from "@yoi/host";
import type { CommandExit, CommandRunner } from "@yoi/sandbox";
import { childOf } from "@yoi/scope";
import type { CommandTouches } from "./copies/command-touches.ts";
import { type CommandOutput, createCommandOutput, keptHeadBytes, keptTailBytes } from "./output-tail.ts";
import { createProgress } from "./progress.ts";

/** The longest that a command may take. */
export const commandTimeoutMaxS = 600;
/** Characters of the command's first line in the summary. */
const shownCommandMax = 80;

export interface ShellOptions {
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

export interface ShellCommand {
  readonly command: string;
  readonly timeoutS: number;
}

export interface ShellResult {
  readonly exit: CommandExit;
  /** As the model is told of it, with what it touched in `record`. */
  readonly output: ToolOutput;
}

export interface Shell {
  /** Why every command is refused; null: none is for that. */
  readonly missing: string | null;
  /** One at a time. Throws sandbox_missing, and what the sandbox throws. */
  run(command: ShellCommand, context: ToolContext): Promise<ShellResult>;
}

/** @param touches says what a command did to files; null: nobody asks. */
export function openShell(options: ShellOptions, touches: CommandTouches | null = null): Shell {
  return {
    get missing() {
      const { status } = options.runner;
      return status.mode === "missing" ? status.reason : null;
    },
    run: async ({ command, timeoutS }, context) => {
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
          timeoutMs: timeoutS * 1000,
          signal: context.signal,
          onOutput: (chunk) => show(filter === null ? chunk : filter.add(chunk)),
        });
        if (filter !== null) show(filter.end());
        const record = await recordOf?.();
        const result = await resultOf(options, context.call, command, exit, timeoutS, output);
        return { exit, output: withNotes(exit, record === undefined ? result : { ...result, record }) };
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
  options: ShellOptions,
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
  { hostFiles, spillDirectory }: ShellOptions,
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
