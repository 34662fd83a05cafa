/** What becomes of output that cannot be written: a full disk is a failure, a reader that went away is none. */
import { exitCode } from "../exit-code.ts";

export interface WatchedOutput {
  /** The exit code of the work; output that was lost, or still will be, makes a failure of a success. */
  endWith(code: number): void;
}

export function watchOutput(): WatchedOutput {
  let lost = false;
  const settle = (code: number): void => {
    process.exitCode = lost && code === exitCode.done ? exitCode.failed : code;
  };
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // `yoi ... | head`: what is left goes nowhere, and the exit code is the work's own.
    if (error.code === "EPIPE" || lost) return;
    lost = true;
    process.stderr.write(
      `yoi: The output could not be written (${error.code ?? error.message}): what was done stands, in the log of the Pod or in the ticket, so look there before you do it again; make room, or send the output somewhere else.\n`,
    );
    settle(Number(process.exitCode ?? exitCode.done));
  });
  // Nobody is left to be told.
  process.stderr.on("error", () => undefined);
  return { endWith: settle };
}
