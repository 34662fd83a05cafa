/** The process ends within 100 ms of its last output: no timer, socket or child of a run, a reader or a failure holds it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { type Answer, type AnthropicServer, startAnthropicServer } from "../support/anthropic-server.ts";
import { familyOf, isAlive } from "../support/processes.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { anthropicFlags, yoiCommand } from "../support/yoi-process.ts";

const outlivesMaxMs = 100;
/** What holds a process holds it each time; a busy machine does not. */
const triesMax = 4;
const control = fileURLToPath(new URL("../support/late-timer.ts", import.meta.url));

interface Ending {
  readonly code: number | null;
  readonly outlivedMs: number;
  readonly output: string;
}

/** Runs it to its end; the time is from the last byte that it wrote to the moment that it was gone. */
async function ending(home: TempHome, args: readonly string[], env: Record<string, string>): Promise<Ending> {
  const options = { cwd: home.workspace, env: { ...home.env, ...env } };
  const child = spawn(yoiCommand, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let lastMs = 0;
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      lastMs = performance.now();
      output += text;
    });
  }
  const exit = once(child, "exit").then(([code]) => ({
    code: code as number | null,
    atMs: performance.now(),
  }));
  await once(child, "close");
  const { code, atMs } = await exit;
  return { code, outlivedMs: atMs - lastMs, output };
}

async function endsSoon(
  home: TempHome,
  row: {
    readonly args: readonly string[];
    readonly code: number;
    readonly env?: Record<string, string>;
    readonly tries?: number;
  },
): Promise<void> {
  const times: number[] = [];
  while (times.length < (row.tries ?? triesMax)) {
    const { code, outlivedMs, output } = await ending(home, row.args, row.env ?? {});
    assert.equal(code, row.code, output);
    assert.notEqual(output, "", "it says something, so that there is a last output");
    times.push(outlivedMs);
    if (outlivedMs < outlivesMaxMs) return;
  }
  assert.fail(`yoi ${row.args.join(" ")} outlived its last output by ${times.map(Math.round).join(", ")} ms`);
}

const done: Answer = { blocks: [{ type: "text", text: "all done" }] };
const callsBash: Answer = {
  blocks: [{ type: "tool_call", name: "Bash", arguments: { command: "echo hello" } }],
};

async function withServer(
  answers: (body: string) => Answer,
  use: (server: AnthropicServer) => Promise<void>,
) {
  const server = await startAnthropicServer({ handler: ({ raw }) => answers(raw.toString()) });
  try {
    await use(server);
  } finally {
    await server.close();
  }
}

function providerRun(server: AnthropicServer, sandbox: "on" | "off", pod: string): readonly string[] {
  return ["run", "go", ...anthropicFlags(pod, server.url, sandbox)];
}

const key = { ANTHROPIC_API_KEY: "test" };
const bashThenDone = (body: string): Answer => (body.includes("tool_result") ? done : callsBash);
const scenario = `steps:
  - tool_calls: [{ name: Bash, arguments: { command: "echo hello" } }]
  - text: all done
`;

for (const sandbox of ["off", "on"] as const) {
  const skip = sandbox === "on" ? noBubblewrap() : false;
  test(`a run with a provider and a shell command, sandbox ${sandbox}`, { skip }, async () => {
    using home = tempHome();
    await withServer(bashThenDone, async (server) => {
      await endsSoon(home, { args: providerRun(server, sandbox, "p"), code: 0, env: key });
    });
  });

  test(`a scripted run with a shell command, sandbox ${sandbox}`, { skip }, async () => {
    using home = tempHome();
    writeFileSync(join(home.workspace, "s.yaml"), scenario);
    const args = ["run", "go", "-m", "scripted/s.yaml", "--sandbox", sandbox];
    await endsSoon(home, { args, code: 0 });
  });
}

test("runs that fail: refused credentials, a stream that breaks off for good, no credentials", async () => {
  using home = tempHome();
  const broken: Answer = { ...done, fault: { type: "error", after: 3, error: { type: "x", message: "no" } } };
  const refused: Answer = { status: 401, body: { error: { type: "authentication_error", message: "no" } } };
  await withServer(
    () => refused,
    (server) => endsSoon(home, { args: providerRun(server, "off", "r"), code: 4, env: key }),
  );
  await withServer(
    () => broken,
    (server) => endsSoon(home, { args: providerRun(server, "off", "b"), code: 1, env: key }),
  );
  await withServer(
    () => done,
    (server) => endsSoon(home, { args: providerRun(server, "off", "n"), code: 4 }),
  );
});

test("readers: list, show, log, verify, configuration, doctor, help", async () => {
  using home = tempHome();
  await withServer(bashThenDone, async (server) => {
    assert.equal((await ending(home, providerRun(server, "off", "p"), key)).code, 0);
  });
  const rows = [
    ["pod", "list"],
    ["pod", "show", "p"],
    ["pod", "log", "p"],
    ["pod", "verify", "p", "--wire"],
    ["config", "show"],
    ["doctor"],
    ["--help"],
  ];
  for (const args of rows) await endsSoon(home, { args, code: 0 });
});

test("control: a timer that is left behind is noticed", async () => {
  using home = tempHome();
  const row = { args: ["pod", "list"], code: 0, tries: 1, env: { NODE_OPTIONS: `--import=${control}` } };
  await assert.rejects(endsSoon(home, row), /outlived its last output by \d{3}/);
});

test("no process of a run is left when it has ended, with the sandbox off", async () => {
  using home = tempHome();
  const seen: ReturnType<typeof familyOf>[number][] = [];
  await withServer(bashThenDone, async (server) => {
    const child = spawn(yoiCommand, providerRun(server, "off", "p"), {
      cwd: home.workspace,
      env: { ...home.env, ...key },
      stdio: "ignore",
    });
    const looking = setInterval(() => seen.push(...familyOf(child.pid ?? 0)), 1);
    await once(child, "exit");
    clearInterval(looking);
  });
  assert.ok(new Set(seen.map(({ pid }) => pid)).size > 1, "the watchdog was seen while the run lasted");
  assert.deepEqual(seen.filter(isAlive), []);
});
