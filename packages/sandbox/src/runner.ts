/** CommandRunner: starts a process that can do exactly what a scope allows. The only place that spawns untrusted commands. */
import type { CallId, PodName, Scope } from "@yoi/base";

export type SandboxStatus =
  | { readonly mode: "bubblewrap"; readonly file: string }
  /** The user's explicit choice. */
  | { readonly mode: "off" }
  /** Wanted but not there: every command is refused with `reason`, which ends with the one command that fixes it. */
  | { readonly mode: "missing"; readonly reason: string };

export interface Command {
  readonly pod: PodName;
  readonly call: CallId;
  /** Run by `bash --norc --noprofile -c`, or sh where there is no bash. */
  readonly script: string;
  /** Absolute; inside the scope. */
  readonly cwd: string;
  readonly scope: Scope;
  readonly network: boolean;
  readonly timeoutMs: number;
  /** Aborted: the whole process tree is ended, then the command settles. */
  readonly signal: AbortSignal;
  /** stdout and stderr as they come, merged in order of arrival. */
  readonly onOutput: (chunk: Uint8Array) => void;
}

/** A run of one of yoi's own programs, which looks for something: it writes nothing and has no network. */
export interface Program {
  readonly pod: PodName;
  readonly call: CallId;
  /** Absolute. It need not be in the scope. */
  readonly file: string;
  readonly args: readonly string[];
  /** Where there is a sandbox, all that the program can read. Without one nothing holds it: it is then told of nothing but `descriptors`. */
  readonly scope: Scope;
  /** Open files that it inherits, the first as descriptor `firstDescriptor`, the others after it. */
  readonly descriptors: readonly number[];
  readonly timeoutMs: number;
  /** Aborted: it is ended, then the run settles. */
  readonly signal: AbortSignal;
  readonly onOutput: (chunk: Uint8Array) => void;
  readonly onError: (chunk: Uint8Array) => void;
}

/** As what number a program finds the first descriptor that it was given. */
export const firstDescriptor = 4;

/** How it ended, and what was done afterwards that its author should know: a sentence each, left out when there is none. */
export type CommandExit = CommandEnd & { readonly notes?: readonly string[] };

export type CommandEnd =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: string }
  | { readonly kind: "timed_out" }
  | { readonly kind: "cancelled" };

export interface CommandRunner {
  readonly status: SandboxStatus;
  /** Refuses with `sandbox_missing` when the status says so. When it settles, no process of the command is left in its sandbox or process group. */
  run(command: Command): Promise<CommandExit>;
  /**
   * Also without a sandbox, where shell commands are refused: it runs no word of a model. Refuses with `sandbox_missing` a program that
   * the scope lets be written, unless the user turned the sandbox off.
   */
  runProgram(program: Program): Promise<CommandEnd>;
  /** Ends processes of earlier owners of this Pod that still carry `YOI_CALL=<pod>/...`, those of a Pod of the same name in another data directory left out. Only ever those. Returns how many. */
  endStrays(pod: PodName): Promise<number>;
  /** Ends the watchdog, if one was started. */
  close(): Promise<void>;
}
