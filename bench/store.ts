/** Session logs alone, without a Pod: reading a long one back, and many writers at once. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import type { Appended, Replayed, Written } from "./store-process.ts";
import { summary, type Summary } from "./summary.ts";

export interface StoreOptions {
  readonly replayEntries: number;
  readonly appenders: number;
  readonly appendedEntries: number;
  readonly runs: number;
}

export interface StoreResults {
  readonly replay: {
    readonly entries: number;
    readonly bytes: number;
    readonly ms: Summary;
    readonly peakBytes: Summary;
  };
  readonly append: {
    readonly appenders: number;
    readonly perSecond: Summary;
    /** With three credentials known that every entry is looked through for. */
    readonly redactedPerSecond: Summary;
  };
}

/** Bundled as yoi itself is: what Node needs to strip types from sources is not in its memory then. */
async function bundle(file: string): Promise<void> {
  const input = fileURLToPath(new URL("store-process.ts", import.meta.url));
  const built = await rolldown({ input, platform: "node" });
  await built.write({ file, format: "esm" });
  await built.close();
}

export async function measureStore(options: StoreOptions): Promise<StoreResults> {
  const { replayEntries, appenders, appendedEntries, runs } = options;
  const root = mkdtempSync(join(tmpdir(), "yoi-bench-"));
  const program = join(root, "store-process.mjs");
  const inProcess = async <T>(...args: readonly (string | number)[]): Promise<T> => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args.map(String)]);
    return JSON.parse(stdout) as T;
  };
  try {
    await bundle(program);
    const long = join(root, "long");
    const { bytes } = await inProcess<Written>("write", long, replayEntries);
    const replayed: Replayed[] = [];
    const perSecond: number[] = [];
    const redacted: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      replayed.push(await inProcess<Replayed>("replay", long));
      for (const [rates, redact] of [[perSecond, ""] as const, [redacted, "redact"] as const]) {
        const folder = join(root, `append-${run}${redact}`);
        const { entries, ms } = await inProcess<Appended>(
          "append",
          folder,
          appenders,
          appendedEntries,
          redact,
        );
        rates.push((entries / ms) * 1000);
      }
    }
    return {
      replay: {
        entries: replayEntries,
        bytes,
        ms: summary(replayed.map(({ ms }) => ms)),
        peakBytes: summary(replayed.map(({ peakBytes }) => peakBytes)),
      },
      append: { appenders, perSecond: summary(perSecond), redactedPerSecond: summary(redacted) },
    };
  } finally {
    rmSync(root, { recursive: true });
  }
}
