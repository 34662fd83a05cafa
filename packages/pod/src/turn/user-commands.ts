/** UserCommands: what the user runs in the Pod's shell: on record before it starts, run at most once, and told to the model once. */
import { type CallId, callId, messageOf, YoiError } from "@yoi/base";
import type { RunningCommand } from "@yoi/protocol";
import { commandGiven, type OpenCommand } from "@yoi/session-store";
import type { HistoryGate } from "../history/gate.ts";
import { lastChars } from "../hook/said.ts";
import type { Inbox } from "../inbox/inbox.ts";
import type { Accepted, Submissions } from "../inbox/submissions.ts";
import type { CommandLane } from "./command-lane.ts";
import { outcomeEntry, outcomeOfDead, type ShellOutcome } from "./command-outcome.ts";

/** Commands that go on or wait for their turn. */
export const commandsMax = 4;
/** UTF-16 units of the live output of one that a snapshot holds. */
export const commandOutputCharsMax = 16 * 1024;

/** Where commands run: the machinery of the Bash tool. */
export interface CommandShell {
  /** Why every command is refused; null: none is for that. */
  readonly missing: string | null;
  /** Resolves when no process of it is left. Throws what keeps it from being run. */
  run(
    command: string,
    context: {
      readonly call: CallId;
      readonly signal: AbortSignal;
      readonly progress: (text: string) => void;
    },
  ): Promise<ShellOutcome>;
}

export interface UserCommandsParts {
  readonly gate: Pick<HistoryGate, "append" | "state" | "generation">;
  readonly submissions: Submissions;
  /** Null: this Pod has no shell. */
  readonly shell: CommandShell | null;
  /** Runs the work when nothing else writes. */
  readonly alone: CommandLane["alone"];
  /** Where what came of one is accepted, to be told to the model. */
  readonly inbox: Pick<Inbox, "room" | "acceptOutcomes">;
  /** Told what a command writes. */
  readonly wrote: (id: string, text: string) => void;
  /** A sentence for the user. */
  readonly warn: (text: string) => void;
}

interface Running {
  readonly command: string;
  output: string;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

export class UserCommands {
  readonly #parts: UserCommandsParts;
  readonly #running = new Map<string, Running>();
  /** On their way to the log. */
  #arriving = 0;
  #isClosed = false;

  constructor(parts: UserCommandsParts) {
    this.#parts = parts;
  }

  /** Those that go on or wait for their turn, in the order in which they came. */
  get list(): readonly RunningCommand[] {
    return [...this.#running].map(([id, { command, output }]) => ({
      id,
      command,
      output: lastChars(output, commandOutputCharsMax),
    }));
  }

  /** What an earlier owner ran and died in. Its processes are gone by now. */
  async closeDead(): Promise<void> {
    const { gate, inbox } = this.#parts;
    await inbox.acceptOutcomes(gate.state.commands.map((one) => outcomeEntry(one, outcomeOfDead)));
  }

  /**
   * Resolves when it is on record, with the id of that; then it begins as soon as nothing else writes. A repeat of the submission runs nothing. Throws usage, limit_exceeded, sandbox_missing,
   * inbox_full, submission_conflict, cancelled (the Pod is closing), or what the log throws: then nothing is run.
   */
  async run(command: string, submission: string): Promise<Accepted> {
    const { submissions } = this.#parts;
    const accept = async () => {
      this.#check(command);
      this.#arriving += 1;
      try {
        return await this.#accept(command, submission);
      } finally {
        this.#arriving -= 1;
      }
    };
    const { duplicate, id } = await submissions.once(submission, commandGiven({ command }), accept);
    if (id === null) throw new Error("a command was stopped on its way to the log");
    return { duplicate, id };
  }

  /** Ends one that goes on with all that it started; what came of it is on record soon. Throws not_running. */
  stop(id: string): void {
    const running = this.#running.get(id);
    if (running === undefined)
      throw new YoiError("not_running", `No command ${id} goes on: nothing was stopped.`);
    running.stop.abort();
  }

  /** Nothing begins any more; what goes on is ended, and what came of it is on record. Never throws. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#running.values()];
    for (const { stop } of running) stop.abort();
    await Promise.all(running.map(({ ended }) => ended));
  }

  #check(command: string): void {
    const { shell, inbox } = this.#parts;
    if (this.#isClosed)
      throw new YoiError("cancelled", "This Pod is closing: nothing is run in it any more.");
    if (shell === null) throw new YoiError("usage", "This Pod has no shell to run a command in.");
    if (shell.missing !== null) throw new YoiError("sandbox_missing", shell.missing);
    if (command.trim() === "") throw new YoiError("usage", "The command is empty.");
    if (command.includes("\0")) throw new YoiError("usage", "The command holds a NUL, which no shell takes.");
    if (this.#running.size + this.#arriving >= commandsMax)
      throw new YoiError(
        "limit_exceeded",
        `${commandsMax} commands of yours go on in this Pod, which is the most: wait for one to end, or stop one.`,
      );
    if (inbox.room <= this.#running.size + this.#arriving)
      throw new YoiError(
        "inbox_full",
        "So much waits to be told to this Pod's model that what the command writes could not be: run the Pod first.",
      );
  }

  async #accept(command: string, submission: string): Promise<string> {
    const { gate } = this.#parts;
    const [entry] = await gate.append([{ kind: "user_command", command, submission }]);
    if (entry === undefined) throw new Error("history took a command and gave no entry back");
    const { generation } = gate;
    // As it is on record: without known credentials.
    const open = gate.state.commands.find((one) => one.submission === submission);
    if (open === undefined) throw new Error("a command is on record and not known");
    this.#begin(open, command, callId(entry.seq, 0, generation));
    return open.id;
  }

  #begin(open: OpenCommand, command: string, call: CallId): void {
    const stop = new AbortController();
    const ended = Promise.withResolvers<void>();
    this.#running.set(open.id, { command: open.command, output: "", stop, ended: ended.promise });
    // What was accepted while the Pod began to close is on record as one that never began.
    if (this.#isClosed) stop.abort();
    void this.#toEnd(open, command, call, stop.signal).finally(() => {
      this.#running.delete(open.id);
      ended.resolve();
    });
  }

  /** Never rejects. */
  async #toEnd(open: OpenCommand, command: string, call: CallId, signal: AbortSignal): Promise<void> {
    const { inbox, warn } = this.#parts;
    const outcome = await this.#outcome(open.id, command, call, signal);
    try {
      await inbox.acceptOutcomes([outcomeEntry(open, outcome)]);
    } catch (error) {
      warn(
        `What came of your command ${open.id} could not be put on record, and the next owner of this Pod will take its outcome for unknown: ${messageOf(error)}`,
      );
    }
  }

  async #outcome(id: string, command: string, call: CallId, signal: AbortSignal): Promise<ShellOutcome> {
    const { shell, alone } = this.#parts;
    if (shell === null) throw new Error("a command was accepted without a shell");
    const progress = (text: string) => this.#wrote(id, text);
    try {
      return await alone(signal, () => shell.run(command, { call, signal, progress }), {
        waits: () => progress("[waits until what goes on in the workspace has ended]\n"),
        isAwaited: () => progress("[a call of the model waits until this has ended]\n"),
      });
    } catch (error) {
      const how = signal.aborted ? "stopped before it began" : `it was not run: ${messageOf(error)}`;
      return { end: "refused", exit: null, how: how.replace(/\.$/, ""), text: "" };
    }
  }

  #wrote(id: string, text: string): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    running.output += text;
    if (running.output.length > 2 * commandOutputCharsMax)
      running.output = lastChars(running.output, commandOutputCharsMax);
    this.#parts.wrote(id, text);
  }
}
