/** The process ends within 100 ms of its last output: no timer, socket or child of a run, a reader or a failure holds it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import type { ToolResult } from "@yoi/base";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { type Answer, type AnthropicServer, startAnthropicServer } from "../support/anthropic-server.ts";
import { familyOf, isAlive } from "../support/processes.ts";
import { findLog, linesOf } from "../support/stored-log.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { anthropicFlags, yoiCommand } from "../support/yoi-process.ts";

const outlivesMaxMs = 100;
/** What holds a process holds it most times; a busy machine does not. The median of the tries is what counts. */
const tries = 5;
const majority = Math.ceil(tries / 2);
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

interface Row {
  /** Of one try, from 0. */
  readonly args: (attempt: number) => readonly string[];
  readonly code: number;
  readonly env?: Record<string, string>;
  /** Looks at what a try left. */
  readonly check?: (attempt: number) => void;
}

/** Ends as soon as the median is known to be on one side. */
async function endsSoon(home: TempHome, row: Row): Promise<void> {
  const [soon, late]: [number[], number[]] = [[], []];
  while (soon.length < majority && late.length < majority) {
    const attempt = soon.length + late.length;
    const { code, outlivedMs, output } = await ending(home, row.args(attempt), row.env ?? {});
    assert.equal(code, row.code, output);
    assert.notEqual(output, "", "it says something, so that there is a last output");
    row.check?.(attempt);
    (outlivedMs < outlivesMaxMs ? soon : late).push(outlivedMs);
  }
  const [command, times] = [`yoi ${row.args(0).join(" ")}`, [...soon, ...late].map(Math.round).join(", ")];
  assert.equal(soon.length, majority, `${command} outlived its last output by ${times} ms`);
}

const done: Answer = { blocks: [{ type: "text", text: "all done" }] };
/** The first process of a sandbox is the sandbox. */
const whereIAm = "echo I am below $(cat /proc/1/comm)";
const callsBash: Answer = {
  blocks: [{ type: "tool_call", name: "Bash", arguments: { command: whereIAm } }],
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
  - tool_calls: [{ name: Bash, arguments: { command: "${whereIAm}" } }]
  - text: all done
`;

/** The run's one shell command did its work, and where the row says. */
function checkBash(home: TempHome, pod: string, sandbox: "on" | "off"): void {
  const log = findLog(home.home, pod);
  assert.ok(log !== null, `there is no Pod ${pod}`);
  const items = linesOf(readFileSync(log)).flatMap(({ kind, item }) =>
    kind === "tool_result" ? [item as ToolResult] : [],
  );
  const texts = items.map(({ summary, content, is_error }) => ({ is_error, text: `${summary}\n${content}` }));
  assert.equal(texts.length, 1, JSON.stringify(texts));
  for (const { is_error, text } of texts) {
    assert.equal(is_error, false, text);
    assert.match(text, /I am below \S/);
    assert.equal(text.includes("I am below bwrap"), sandbox === "on", text);
  }
}

for (const sandbox of ["off", "on"] as const) {
  const skip = sandbox === "on" ? noBubblewrap() : false;
  test(`a run with a provider and a shell command, sandbox ${sandbox}`, { skip }, async () => {
    using home = tempHome();
    await withServer(bashThenDone, async (server) => {
      await endsSoon(home, {
        args: (attempt) => providerRun(server, sandbox, `p${attempt}`),
        code: 0,
        env: key,
        check: (attempt) => checkBash(home, `p${attempt}`, sandbox),
      });
    });
  });

  test(`a scripted run with a shell command, sandbox ${sandbox}`, { skip }, async () => {
    using home = tempHome();
    writeFileSync(join(home.workspace, "s.yaml"), scenario);
    const flags = ["-m", "scripted/s.yaml", "--sandbox", sandbox];
    await endsSoon(home, {
      args: (attempt) => ["run", "go", "--pod", `s${attempt}`, ...flags],
      code: 0,
      check: (attempt) => checkBash(home, `s${attempt}`, sandbox),
    });
  });
}

test("runs that do not finish: refused credentials, a stream that breaks off again and again, no credentials", async () => {
  using home = tempHome();
  const broken: Answer = { ...done, fault: { type: "error", after: 3, error: { type: "x", message: "no" } } };
  const refused: Answer = { status: 401, body: { error: { type: "authentication_error", message: "no" } } };
  const rows = [
    { answer: refused, pod: "r", code: 4, env: key },
    { answer: broken, pod: "b", code: 75, env: key },
    { answer: done, pod: "n", code: 4 },
  ];
  for (const { answer, pod, ...row } of rows) {
    await withServer(
      () => answer,
      (server) =>
        endsSoon(home, { ...row, args: (attempt) => providerRun(server, "off", `${pod}${attempt}`) }),
    );
  }
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
  for (const args of rows) await endsSoon(home, { args: () => args, code: 0 });
});

test("control: a timer that is left behind is noticed", async () => {
  using home = tempHome();
  const row = { args: () => ["pod", "list"], code: 0, env: { NODE_OPTIONS: `--import=${control}` } };
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
