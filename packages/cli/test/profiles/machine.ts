/** A machine with directories for profiles and configuration, for the tests of this folder. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Environment } from "../../src/environment.ts";

export function machine() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-profiles-")));
  const workspace = join(root, "w");
  const home = join(root, "home");
  for (const directory of [workspace, home]) mkdirSync(directory);
  const environment: Environment = {
    variables: { PATH: "/usr/bin:/bin" },
    directories: { config: join(root, "config"), data: join(root, "data"), runtime: join(root, "run") },
    workingDirectory: () => workspace,
    home,
    stdin: "other",
    stdoutIsTerminal: false,
    stderr: { isTerminal: false, columns: 80 },
  };
  const plant = (path: string, text: string): string => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  return {
    workspace,
    environment,
    config: (text: string) => plant(join(root, "config", "config.toml"), text),
    local: (text: string) => plant(join(workspace, ".yoi", "config.local.toml"), text),
    user: (name: string, text: string) => plant(join(root, "config", "profiles", `${name}.toml`), text),
    project: (name: string, text: string) => plant(join(workspace, ".yoi", "profiles", `${name}.toml`), text),
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  };
}
