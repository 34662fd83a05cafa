import { writeFileSync } from "node:fs";

// Any Node can parse this file: an old one says what it needs instead of failing on syntax.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  console.error(
    `yoi needs Node 24.15 or newer; this is ${process.version}. Run it through the yoi command, or install a newer Node.`,
  );
  process.exit(3);
}
// What a crash leaves behind is without keys: no memory in a core dump that this process's own limit or a handler of the system allows,
// and no environment in a report, whatever NODE_OPTIONS asks for. The message of an exception may hold one, so it makes no report.
try {
  writeFileSync("/proc/self/coredump_filter", "0");
} catch {
  // Not Linux, or /proc is not there.
}
if (process.report) {
  process.report.excludeEnv = true;
  process.report.reportOnUncaughtException = false;
}
import("./start.js");
