/** The program's entry: one command, its output, its exit code. The process then ends by itself: nothing may hold it. */
import { failureOf, writeFailure, writeFailureJson } from "./failure.ts";
import { runProgram } from "./program.ts";

export async function main(argv: readonly string[]): Promise<void> {
  // A reader that went away (`yoi ... | head`) is not a failure of ours. By the next turn of the event loop a run that had
  // nothing left but its answer to print has its exit code.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    setImmediate(() => process.exit());
  });
  // Nobody reads the diagnostics any more: the work goes on without them.
  process.stderr.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  try {
    process.exitCode = await runProgram(argv);
  } catch (error) {
    const failure = failureOf(error);
    writeFailureJson(argv, failure);
    writeFailure(failure);
    process.exitCode = failure.exitCode;
  }
}
