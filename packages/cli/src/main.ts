/** The program's entry: one command, its output, its exit code. The process then ends by itself: nothing may hold it. */
import { endOnUncaught, failureOf, writeFailure, writeFailureJson } from "./failure.ts";
import { knownSecrets } from "./known-secrets.ts";
import { guardOutput } from "./output/guard-output.ts";
import { watchOutput } from "./output/watch-output.ts";
import { runProgram } from "./program.ts";
import { keepHangupIgnored } from "./signals.ts";

export async function main(argv: readonly string[]): Promise<void> {
  keepHangupIgnored();
  guardOutput(knownSecrets.redact);
  endOnUncaught(argv);
  const output = watchOutput();
  try {
    output.endWith(await runProgram(argv));
  } catch (error) {
    const failure = failureOf(error);
    writeFailureJson(argv, failure);
    writeFailure(failure);
    output.endWith(failure.exitCode);
  }
}
