/** The program's entry: one command, its output, its exit code. The process then ends by itself: nothing may hold it. */
import { failureOf, writeFailure, writeFailureJson } from "./failure.ts";
import { runProgram } from "./program.ts";

export async function main(argv: readonly string[]): Promise<void> {
  // A reader that went away (`yoi ... | head`) is not a failure of ours: what is left goes nowhere, and the exit code is the work's own.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
  try {
    process.exitCode = await runProgram(argv);
  } catch (error) {
    const failure = failureOf(error);
    writeFailureJson(argv, failure);
    writeFailure(failure);
    process.exitCode = failure.exitCode;
  }
}
