/** The real program in a world of its own, in which bubblewrap is another one. */
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TempHome } from "./temp-home.ts";
import { yoiCommand } from "./yoi-process.ts";

/** Why the real one cannot be replaced, or false. */
export const noOwnBubblewrap =
  existsSync("/usr/bin/bwrap") && spawnSync("unshare", ["-Urm", "true"]).status === 0
    ? false
    : "no bubblewrap in /usr/bin, or no namespaces of one's own";

/**
 * The command that runs yoi there. `lines`: the shell script that bubblewrap is. It is mounted over the real one, because one that lies somewhere else on
 * PATH would not be used.
 */
export function yoiWithBubblewrap(home: TempHome, lines: string): string {
  const own = join(home.root, "own-bwrap");
  const command = join(home.root, "yoi-with-own-bwrap");
  const script = (path: string, text: string) => writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  script(own, lines);
  script(
    command,
    `exec unshare -Urm /bin/sh -c 'mount --bind "$0" "$1" && shift && exec "$@"' '${own}' /usr/bin/bwrap '${yoiCommand}' "$@"`,
  );
  return command;
}
