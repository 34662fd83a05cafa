/** One process for many command lines: runs each that it is sent, as the program's entry does, and sends back what it wrote and its exit code. */
import { failureOf, writeFailure, writeFailureJson } from "../../packages/cli/src/failure.ts";
import { runProgram } from "../../packages/cli/src/program.ts";
import type { Result } from "./support.ts";

async function run(argv: readonly string[]): Promise<Result> {
  const written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    process[name].write = (text: string | Uint8Array) => {
      written[name] += String(text);
      return true;
    };
  try {
    const code = await runProgram(argv);
    return { code, ...written };
  } catch (error) {
    const failure = failureOf(error);
    writeFailureJson(argv, failure);
    writeFailure(failure);
    return { code: failure.exitCode, ...written };
  }
}

process.on("message", (argv: readonly string[]) => {
  void run(argv).then((result) => process.send?.(result));
});
