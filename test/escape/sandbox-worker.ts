/** Runs every attempt, held and not held, and prints what came of it: one JSON object a line. Started as the user that is to be tested. */
import { spawn } from "node:child_process";
import { createServer, type Server } from "node:net";
import { dirname } from "node:path";
import { callId, podName } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { type CommandRunner, createCommandRunner } from "@yoi/sandbox";
import { attempts, type Attempt, type Peers } from "./sandbox-attempts.ts";
import { canary, type EscapePlace, makePlace } from "./place.ts";

export interface AttemptResult {
  readonly name: string;
  readonly escaped: boolean;
  /** Null: no control was run. */
  readonly controlEscaped: boolean | null;
  readonly output: string;
}

const path = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`;
const { clock, timers } = nodeHost();

async function runnerFor(place: EscapePlace, mode: "on" | "off"): Promise<CommandRunner> {
  const env = {
    PATH: path,
    HOME: place.home,
    LANG: "C",
    ANTHROPIC_API_KEY: canary,
    OPENAI_API_KEY: canary,
    BASH_ENV: `${place.home}/.bashrc`,
  };
  return await createCommandRunner({
    mode,
    protection: place.protection,
    env,
    timers,
    clock,
    // Left where it is: what is judged here is the sandbox, not what is done afterwards.
    quarantine: async (_call, path) => path,
    unixSockets: true,
  });
}

async function tryOne(
  attempt: Attempt,
  mode: "on" | "off",
  peers: Peers,
): Promise<{ escaped: boolean; output: string }> {
  const place = makePlace(path);
  const server = await listen(`${place.runtime}/pod.sock`);
  const runner = await runnerFor(place, mode);
  try {
    if (runner.status.mode === "missing") throw new Error(runner.status.reason);
    const before = place.snapshot();
    let output = "";
    await runner.run({
      pod: podName("p"),
      call: callId(1, 0),
      script: attempt.script(place, peers),
      cwd: place.workspace,
      scope: attempt.scope === "wide" ? place.wideScope : place.scope,
      network: false,
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      onOutput: (chunk) => {
        output += Buffer.from(chunk).toString();
      },
    });
    return { escaped: /CANARY-7f3a|ESCAPED/.test(output) || place.snapshot() !== before, output };
  } finally {
    await runner.close();
    server.close();
    place.remove();
  }
}

function listen(at: string | { host: string; port: number }): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.end());
    server.once("error", reject);
    server.listen(at, () => resolve(server));
  });
}

const victim = spawn("sleep", ["300"], { env: { PATH: path, CANARY: canary }, stdio: "ignore" });
const abstractName = `yoi-escape-${process.pid}`;
const [loopback, abstract] = [
  await listen({ host: "127.0.0.1", port: 0 }),
  await listen(`\0${abstractName}`),
];
try {
  const address = loopback.address();
  if (victim.pid === undefined || address === null || typeof address === "string")
    throw new Error("no peers");
  const peers: Peers = { victim: victim.pid, port: address.port, abstractName };
  for (const attempt of attempts) {
    const held = await tryOne(attempt, "on", peers);
    const open = attempt.control ? await tryOne(attempt, "off", peers) : null;
    const result: AttemptResult = {
      name: attempt.name,
      escaped: held.escaped,
      controlEscaped: open?.escaped ?? null,
      output: held.output,
    };
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
} finally {
  victim.kill("SIGKILL");
  loopback.close();
  abstract.close();
}
