/** The program's entry: one command, its output, its exit code. The process then ends by itself: nothing may hold it. */
import { failureOf, writeFailure } from "./failure.ts";
import { runProgram } from "./program.ts";

export async function main(argv: readonly string[]): Promise<void> {
  // A reader that went away (`yoi ... | head`) is not a failure of ours.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  try {
    process.exitCode = await runProgram(argv);
  } catch (error) {
    const failure = failureOf(error);
    writeFailure(failure);
    process.exitCode = failure.exitCode;
  }
}
