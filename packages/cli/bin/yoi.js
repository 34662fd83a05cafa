import { leaveNoKeys } from "./leave-no-keys.js";

// Any Node can parse this file: an old one says what it needs instead of failing on syntax.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  console.error(
    `yoi needs Node 24.15 or newer; this is ${process.version}. Run it through the yoi command, or install a newer Node.`,
  );
  process.exit(3);
}
leaveNoKeys();
import("./start.js");
