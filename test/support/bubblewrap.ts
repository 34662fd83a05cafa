/** Whether bubblewrap starts here: tests that need it say so when they are left out. */
import { spawnSync } from "node:child_process";
import { isolationArgs } from "../../packages/sandbox/src/argv.ts";

const startMs = 10_000;
let reason: string | false | undefined;

/** A reason to skip, or false. Starts it once, through PATH, isolated as the product starts it: where it is there and may not, tests cannot have it either. */
export function noBubblewrap(): string | false {
  reason ??= reasonNow();
  return reason;
}

function reasonNow(): string | false {
  const isolation = isolationArgs({ network: false, disableUserNamespaces: false });
  const places = ["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"];
  const { status } = spawnSync("bwrap", [...isolation, ...places, "--", "/bin/sh", "-c", ":"], {
    stdio: "ignore",
    timeout: startMs,
    killSignal: "SIGKILL",
  });
  return status === 0 ? false : "no bubblewrap";
}
