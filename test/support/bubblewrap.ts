/** Whether bubblewrap is here: tests that need it say so when they are left out. */
import { existsSync } from "node:fs";

/** A reason to skip, or false. */
export function noBubblewrap(): string | false {
  const found = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"].some((path) => existsSync(path));
  return found ? false : "no bubblewrap";
}
