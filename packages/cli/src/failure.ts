/** What becomes of a failure at the edge of the program: one sentence on stderr and the right exit code. */
import { escapeControls, messageOf, YoiError } from "@yoi/base";
import { exitCode, exitCodeOfError } from "./exit-code.ts";
import { failureObject } from "./output/failure-object.ts";
import { jsonLine } from "./output/json-line.ts";
import type { ResultSubtype } from "./output/result.ts";

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly exitCode: number;
  /** Of a run's result; without it, `error`. */
  readonly subtype?: ResultSubtype;
}

/** A failure whose exit code is not that of its own code. */
export class FailedAs extends Error {
  override readonly name: string = "FailedAs";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** A run was stopped before it began. */
export class StoppedEarly extends FailedAs {
  override readonly name = "StoppedEarly";
}

/** Operational failures keep their sentence; anything else is a bug and says so, with its stack for the report. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof FailedAs) return thrown.failure;
  if (thrown instanceof YoiError) {
    return { code: thrown.code, message: thrown.message, exitCode: exitCodeOfError(thrown.code) };
  }
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : messageOf(thrown);
  return {
    code: "internal",
    message: `yoi has a bug (nothing that was acknowledged is lost): ${stack}`,
    exitCode: exitCode.failed,
  };
}

/** On stdout, when the command line asks for JSON. */
export function writeFailureJson(argv: readonly string[], { code, message }: Failure): void {
  const object = failureObject(argv, code, message);
  if (object !== null) process.stdout.write(jsonLine(object));
}

export function writeFailure(failure: Failure): void {
  process.stderr.write(`yoi: ${escapeControls(failure.message, "newline-tab")}\n`);
}

/** Says what a run came to, and gives its exit code; null while no run is over. */
let owed: (() => number) | null = null;

/** Until it is disposed of: an error that nobody caught does not keep from the caller what a run that is on record came to. */
export function oweOutcome(say: () => number): Disposable {
  owed = say;
  return {
    [Symbol.dispose]: () => {
      owed = null;
    },
  };
}

/** What nobody caught ends the process as Node's own report would, but goes the way of all output: Node's goes past every redaction. */
export function endOnUncaught(argv: readonly string[]): void {
  process.once("uncaughtException", (thrown) => {
    const failure = failureOf(thrown);
    if (owed === null) writeFailureJson(argv, failure);
    const code = owed === null ? failure.exitCode : owed();
    writeFailure(failure);
    process.exit(code);
  });
}
