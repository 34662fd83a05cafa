/** Commands through the real runner, in a place to escape from. */
import { dirname } from "node:path";
import { callId, podName, type Scope } from "@yoi/base";
import { moveTree, nodeHost } from "@yoi/host";
import { type CommandExit, type CommandRunner, createCommandRunner } from "@yoi/sandbox";
import { type EscapePlace, makePlace } from "./place.ts";

/** Where programs are on every machine that runs these tests, this Node first. */
export const testPath = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`;

export interface Outcome {
  readonly exit: CommandExit;
  readonly output: string;
}

export interface RunOptions {
  readonly scope?: Scope;
  readonly cwd?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly network?: boolean;
  readonly onOutput?: (text: string) => void;
}

export interface Harness {
  readonly place: EscapePlace;
  readonly runner: CommandRunner;
  run(script: string, options?: RunOptions): Promise<Outcome>;
  close(): Promise<void>;
}

const { clock, timers } = nodeHost();

export async function harness(
  options: { mode?: "on" | "off"; path?: string; place?: EscapePlace; unixSockets?: boolean } = {},
): Promise<Harness> {
  const place = options.place ?? makePlace(testPath);
  const runner = await createCommandRunner({
    mode: options.mode ?? "on",
    protection: place.protection,
    env: { PATH: options.path ?? testPath, HOME: place.home, LANG: "C.UTF-8" },
    timers,
    clock,
    quarantine: async (_call, path, at) => {
      const to = `${place.root}-quarantine${path}`;
      await moveTree(at, to);
      return to;
    },
    unixSockets: options.unixSockets ?? true,
  });
  return {
    place,
    runner,
    run: async (
      script,
      {
        scope = place.scope,
        cwd = place.workspace,
        timeoutMs = 20_000,
        signal,
        network = false,
        onOutput,
      } = {},
    ) => {
      let output = "";
      const exit = await runner.run({
        pod: podName("p"),
        call: callId(1, 0),
        script,
        cwd,
        scope,
        network,
        timeoutMs,
        signal: signal ?? new AbortController().signal,
        onOutput: (chunk) => {
          const text = Buffer.from(chunk).toString();
          output += text;
          onOutput?.(text);
        },
      });
      return { exit, output };
    },
    close: async () => {
      await runner.close();
      place.remove();
    },
  };
}
