/** A newcomer's terminal: bash in a fresh home, with `yoi`, `npx yoi` and a password manager on it, and a provider that is a loopback server. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import type { TempHome } from "../support/temp-home.ts";
import { yoiCommand } from "../support/yoi-process.ts";

export interface ShellResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one line as it stands; a pipe fails as its first failing part does. */
export async function shell(
  home: TempHome,
  line: string,
  options: {
    readonly cwd: string;
    readonly providerUrl: string;
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<ShellResult> {
  const npx = 'npx() { [ "$1" = yoi ] || return 127; "$@"; }';
  const pass = 'pass() { [ "$1" = show ] && echo "a key named $2"; }';
  const child = spawn("bash", ["-c", `set -o pipefail; ${npx}; ${pass}\n${line}`], {
    cwd: options.cwd,
    env: {
      ...home.env,
      PATH: `${dirname(yoiCommand)}:${home.env["PATH"]}`,
      TMPDIR: home.root,
      ANTHROPIC_API_KEY: "test",
      ANTHROPIC_BASE_URL: options.providerUrl,
      ...options.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => (written[name] += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...written };
}
