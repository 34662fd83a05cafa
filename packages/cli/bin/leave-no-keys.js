// What a crash leaves behind is without keys: no core dump, no memory in one that a handler of the system takes all the same, no environment
// in a report of Node.
import { readFileSync, writeFileSync } from "node:fs";

/** For this process, whatever its limits and NODE_OPTIONS ask for. Where the system has no such means it is left as it is. */
export function leaveNoKeys() {
  try {
    // The launcher has set the limit already, which saves a process; whoever runs this file by hand may have another one.
    if (!/^Max core file size +0 /m.test(readFileSync("/proc/self/limits", "utf8")))
      process
        .getBuiltinModule("node:child_process")
        .spawnSync("/usr/bin/prlimit", ["--pid", String(process.pid), "--core=0:"], { stdio: "ignore" });
    writeFileSync("/proc/self/coredump_filter", "0");
  } catch {
    // Not Linux, or /proc is not there.
  }
  if (!process.report) return;
  process.report.excludeEnv = true;
  // It would repeat the message of the exception, which may hold a key.
  process.report.reportOnUncaughtException = false;
}
