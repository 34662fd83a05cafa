/** How long a process takes from its start to its end, in turns with what it is compared with. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { summary, type Summary } from "./summary.ts";
import type { CommandLine } from "./subject.ts";

export interface Starts {
  /** `node -e 0`, the Node that the launcher takes. */
  readonly nodeMs: Summary;
  /** `yoi --version` */
  readonly versionMs: Summary;
  /** `yoi --help` */
  readonly helpMs: Summary;
}

async function timeMs({ file, args }: CommandLine, home: string): Promise<number> {
  const startedMs = performance.now();
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: home };
  const child = spawn(file, args, { stdio: "ignore", env });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${code}`);
  return performance.now() - startedMs;
}

/** @param command yoi's launcher. */
export async function measureStarts(command: string, count: number): Promise<Starts> {
  const home = mkdtempSync(join(tmpdir(), "yoi-bench-"));
  const lines: readonly CommandLine[] = [
    { file: process.execPath, args: ["-e", "0"] },
    { file: command, args: ["--version"] },
    { file: command, args: ["--help"] },
  ];
  const times: number[][] = lines.map(() => []);
  try {
    // The first round fills the cache of compiled code.
    for (let round = -1; round < count; round += 1) {
      for (const [index, line] of lines.entries()) {
        const took = await timeMs(line, home);
        if (round >= 0) times[index]?.push(took);
      }
    }
  } finally {
    rmSync(home, { recursive: true });
  }
  const [node = [], version = [], help = []] = times;
  return { nodeMs: summary(node), versionMs: summary(version), helpMs: summary(help) };
}
