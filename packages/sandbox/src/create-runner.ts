/** The CommandRunner of one Pod: in bubblewrap, or by the user's choice without. */
import { type Clock, type Timers, YoiError } from "@yoi/base";
import { type Protection, permissionAt, quotePath } from "@yoi/scope";
import { isolationArgs, mountArgs } from "./argv.ts";
import { boxedGate, boxedHandling, boxGate, statusFd } from "./boxed-handling.ts";
import { commandEnvironment, type Environment, ownerMark, searchPath } from "./environment.ts";
import { accessAt, isVisible, type Mounts } from "./mount.ts";
import { findProgram } from "./find-program.ts";
import { openHandling, startGate } from "./open-handling.ts";
import { planMounts } from "./plan.ts";
import { type Bubblewrap, probeBubblewrap } from "./probe.ts";
import { RepositoryWatch, type RepositoryWatchOptions } from "./repositories/watch-repositories.ts";
import type { Command, CommandExit, CommandRunner, Program, SandboxStatus } from "./runner.ts";
import { endStrays } from "./strays.ts";
import { type Launch, supervise } from "./supervise.ts";
import { machineSurroundings } from "./surroundings.ts";
import { placeTicketLock } from "./ticket-lock.ts";
import { unixSocketFilter } from "./unix-socket-filter.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";

/** Most characters of what bubblewrap complains about. */
const complaintMax = 500;

export interface RunnerOptions {
  /** `off` only ever by the user's own choice. */
  readonly mode: "on" | "off";
  /** As `resolveProtection` gives it: the same value that the file tools obey. */
  readonly protection: Protection;
  /** What the environment of commands is picked from. */
  readonly env: Environment;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly quarantine: RepositoryWatchOptions["quarantine"];
  /**
   * False for a Pod that holds a loan: its shell commands get no Unix socket, so that no descriptor goes between them and those of its lender or of another
   * child. One end without them is enough for every pair. Where that cannot be made they are refused.
   */
  readonly unixSockets: boolean;
}

/** Looks at bubblewrap once, when `mode` is `on`. Must be made on the main thread: a sandbox dies with the thread that started it. */
export async function createCommandRunner(options: RunnerOptions): Promise<CommandRunner> {
  const path = searchPath(options.env["PATH"]);
  const { workspace } = options.protection;
  const box = options.mode === "on" ? await probeBubblewrap(path, workspace) : null;
  const shell = findProgram("bash", ["/bin", "/usr/bin", ...path], workspace);
  const watchdog = createWatchdog();
  const repositories = new RepositoryWatch(options);
  return {
    status: statusOf(box),
    run: async (command) => {
      if (box === null)
        return await watched(repositories.before(command, null), () =>
          runOpen(command, shell, watchdog, options),
        );
      if (!box.found) throw new YoiError("sandbox_missing", box.reason);
      const mounts = mountsFor(command, options);
      return await watched(repositories.before(command, mounts), () =>
        runBoxed(command, mounts, shell, box, watchdog, options),
      );
    },
    runProgram: async (program) => {
      if (box?.found === true) return await runProgramBoxed(program, box, options);
      if (box !== null && permissionAt(program.scope, program.file) === "write")
        throw new YoiError(
          "sandbox_missing",
          `${quotePath(program.file)} is not run without the sandbox, because tools may write it. ${box.reason}`,
        );
      return await runProgramOpen(program, watchdog, options);
    },
    endStrays: (pod) => endStrays(pod, ownerMark(options.protection.spill), options.timers),
    close: () => watchdog.close(),
  };
}

/** Also where the run fails: whatever it left is looked for. */
async function watched(
  look: () => Promise<readonly string[]>,
  run: () => Promise<CommandExit>,
): Promise<CommandExit> {
  let exit: CommandExit;
  try {
    exit = await run();
  } catch (thrown) {
    await look();
    throw thrown;
  }
  const notes = await look();
  return notes.length === 0 ? exit : { ...exit, notes };
}

function statusOf(box: Bubblewrap | null): SandboxStatus {
  if (box === null) return { mode: "off" };
  return box.found ? { mode: "bubblewrap", file: box.file } : { mode: "missing", reason: box.reason };
}

function shellArgs(shell: string | null, script: string): [string, ...string[]] {
  return shell === null ? ["/bin/sh", "-c", script] : [shell, "--norc", "--noprofile", "-c", script];
}

/** The shell's errors go where its output goes, so that both stay in the order in which they were written. */
function merged(script: string): string {
  return `exec 2>&1; ${script}`;
}

function launchOf(
  command: Command,
  options: RunnerOptions,
  how: Pick<Launch, "file" | "args" | "cwd" | "hasGate" | "feeds">,
): Launch {
  if (command.script.includes("\0"))
    throw new YoiError("usage", "The command contains a NUL character: leave it out.");
  return {
    ...how,
    env: commandEnvironment(options.env, command, ownerMark(options.protection.spill)),
    timeoutMs: command.timeoutMs,
    signal: command.signal,
    onOutput: command.onOutput,
  };
}

function runOpen(
  command: Command,
  shell: string | null,
  watchdog: Watchdog,
  options: RunnerOptions,
): Promise<CommandExit> {
  const [file, ...args] = shellArgs(shell, startGate + merged(command.script));
  const cwd = checkedDirectory(command, permissionAt(command.scope, command.cwd) !== "none");
  return supervise(
    launchOf(command, options, { file, args, cwd }),
    openHandling(watchdog, options.timers),
    options.timers,
  );
}

function mountsFor(
  { scope, network }: Pick<Command, "scope" | "network">,
  { protection }: RunnerOptions,
): Mounts {
  placeTicketLock(protection.workspace);
  return planMounts({ scope, protection, network, asRoot: process.getuid?.() === 0 }, machineSurroundings);
}

async function runBoxed(
  command: Command,
  mounts: Mounts,
  shell: string | null,
  box: Bubblewrap & { readonly found: true },
  watchdog: Watchdog,
  options: RunnerOptions,
): Promise<CommandExit> {
  const { network } = command;
  const cwd = checkedDirectory(command, isVisible(mounts, command.cwd));
  const visibleShell = shell !== null && accessAt(mounts, shell) !== "none" ? shell : null;
  const line = shellArgs(visibleShell, boxedGate + merged(command.script));
  const filter = options.unixSockets ? null : unixSocketFilter(process.arch);
  const how = boxedLine(line, { mounts, network, cwd, hasGate: true, descriptors: [], filter }, box);
  return await superviseBoxed(launchOf(command, options, how), watchdog, options.timers);
}

/** A command line in bubblewrap, as a command line. */
function boxedLine(
  line: readonly string[],
  inside: {
    readonly mounts: Mounts;
    readonly network: boolean;
    readonly cwd: string;
    /** The line begins with `boxedGate`, and the sandbox by `boxGate`. */
    readonly hasGate: boolean;
    readonly descriptors: readonly number[];
    readonly filter: Uint8Array | null;
  },
  box: Bubblewrap & { readonly found: true },
): Pick<Launch, "file" | "args" | "cwd" | "hasGate" | "feeds" | "descriptors"> {
  const { network, hasGate, descriptors, filter } = inside;
  const firstFeed = statusFd + (hasGate ? 2 : 1) + descriptors.length;
  const { args, emptyFds } = mountArgs(inside.mounts, firstFeed);
  const feeds = Array.from({ length: emptyFds }, () => new Uint8Array());
  const flags = isolationArgs({ network, disableUserNamespaces: box.disableUserNamespaces });
  const filtered = filter === null ? [] : ["--seccomp", String(firstFeed + emptyFds)];
  const status = ["--json-status-fd", String(statusFd)];
  const boxed = [...flags, ...filtered, ...args, "--chdir", inside.cwd, ...status, "--", ...line];
  return {
    file: hasGate ? "/bin/sh" : box.file,
    args: hasGate ? ["-c", boxGate, "sh", box.file, ...boxed] : boxed,
    cwd: "/",
    hasGate,
    descriptors,
    feeds: filter === null ? feeds : [...feeds, filter],
  };
}

async function superviseBoxed(
  launch: Launch,
  watchdog: Watchdog | null,
  timers: Timers,
): Promise<CommandExit> {
  const handling = boxedHandling(timers, watchdog);
  let said = "";
  const noting =
    (receive: (chunk: Uint8Array) => void) =>
    (chunk: Uint8Array): void => {
      if (said.length < complaintMax) said += Buffer.from(chunk).toString("utf8");
      receive(chunk);
    };
  const { onOutput, onError } = launch;
  const noted = {
    ...launch,
    onOutput: noting(onOutput),
    ...(onError === undefined ? {} : { onError: noting(onError) }),
  };
  const exit = await supervise(noted, handling, timers);
  if (exit.kind === "exited" && !handling.wasStarted()) {
    throw new YoiError(
      "sandbox_missing",
      `The sandbox could not be made, so the command did not run: ${said.trim().slice(0, complaintMax)}.`,
    );
  }
  return exit;
}

function programLaunch(
  program: Program,
  options: RunnerOptions,
  how: Pick<Launch, "file" | "args" | "cwd" | "hasGate" | "feeds" | "descriptors">,
): Launch {
  const { timeoutMs, signal, onOutput, onError } = program;
  if (program.args.some((arg) => arg.includes("\0")))
    throw new YoiError("usage", "An argument of the program contains a NUL character: leave it out.");
  // Nothing of the environment that yoi was started with: it would configure the program.
  const env = commandEnvironment({}, program, ownerMark(options.protection.spill));
  return { ...how, env, timeoutMs, signal, onOutput, onError };
}

async function runProgramOpen(
  program: Program,
  watchdog: Watchdog,
  options: RunnerOptions,
): Promise<CommandExit> {
  const args = ["-c", `${startGate}exec "$@"`, "sh", program.file, ...program.args];
  const { descriptors } = program;
  const launch = programLaunch(program, options, { file: "/bin/sh", args, cwd: "/", descriptors });
  return await supervise(launch, openHandling(watchdog, options.timers), options.timers);
}

async function runProgramBoxed(
  program: Program,
  box: Bubblewrap & { readonly found: true },
  options: RunnerOptions,
): Promise<CommandExit> {
  const { scope, descriptors } = program;
  const readable = { ...scope, allow: scope.allow.map((rule) => ({ ...rule, permission: "read" as const })) };
  const mounts = mountsFor({ scope: readable, network: false }, options);
  if (accessAt(mounts, program.file) === "none") mounts.set(program.file, { kind: "bind", access: "read" });
  const line = [program.file, ...program.args];
  const how = boxedLine(
    line,
    { mounts, network: false, cwd: "/", hasGate: false, descriptors, filter: null },
    box,
  );
  return await superviseBoxed(programLaunch(program, options, how), null, options.timers);
}

function checkedDirectory(command: Command, visible: boolean): string {
  if (visible && machineSurroundings.kindOf(command.cwd) === "directory") return command.cwd;
  const why = visible ? "is not a directory any more" : "is not in the scope";
  throw new YoiError(
    visible ? "workspace_missing" : "out_of_scope",
    `The command cannot run in ${quotePath(command.cwd)}, which ${why}.`,
  );
}
