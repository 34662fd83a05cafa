/** What a crash leaves behind is without the key: core dumps, reports of Node, the message of what nobody caught. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { startAnthropicServer } from "../support/anthropic-server.ts";
import { eventually } from "../support/processes.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { startYoi, type YoiProcess, yoiCommand } from "../support/yoi-process.ts";
import { canary, filesBelow, hitsIn } from "./canary.ts";

const yoiJs = fileURLToPath(new URL("../../packages/cli/bin/yoi.js", import.meta.url));
const throws = new URL("throws.ts", import.meta.url).href;

/** A run that waits for its provider for ever, in a folder where a core dump would land, with no limit on its size. */
async function hanging(
  home: TempHome,
  key: string,
  program: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly process: YoiProcess; readonly cores: string; [Symbol.asyncDispose](): Promise<void> }> {
  const server = await startAnthropicServer({ handler: () => "silence" });
  const cores = join(home.root, "cores");
  mkdirSync(cores);
  const unlimited = join(home.root, "unlimited");
  writeFileSync(unlimited, `#!/bin/sh\nulimit -c unlimited\nexec ${program} "$@"\n`);
  chmodSync(unlimited, 0o700);
  const process = startYoi(
    [
      "run",
      "go",
      "--pod",
      "p",
      "-C",
      home.workspace,
      "-m",
      "anthropic/claude-sonnet-4-5",
      "--base-url",
      server.url,
      "--sandbox",
      "off",
    ],
    { command: unlimited, cwd: cores, env: { ...home.env, ANTHROPIC_API_KEY: key, ...env } },
  );
  await server.arrived(1);
  return { process, cores, [Symbol.asyncDispose]: () => server.close() };
}

/** Why no core dump can be had here, or false. */
function noCores(): string | false {
  const pattern = readFileSync("/proc/sys/kernel/core_pattern", "utf8").trim();
  if (pattern.startsWith("|") || pattern.includes("/")) return "core dumps go elsewhere";
  const limit = spawnSync("sh", ["-c", "ulimit -c unlimited"]);
  return limit.status === 0 ? false : "core dumps are limited";
}

const skip = noCores();

test("control: a core dump of Node holds the environment", { skip }, () => {
  using home = tempHome();
  const key = canary("control");
  spawnSync("sh", ["-c", 'ulimit -c unlimited; exec "$0" -e "process.abort()"', process.execPath], {
    cwd: home.workspace,
    env: { ...home.env, ANTHROPIC_API_KEY: key },
  });
  const [core = ""] = readdirSync(home.workspace);
  assert.match(core, /core/);
  assert.ok(readFileSync(join(home.workspace, core)).includes(key));
});

for (const [name, program] of [
  ["yoi", yoiCommand],
  ["node yoi.js", `${process.execPath} ${yoiJs}`],
] as const) {
  test(`an aborted ${name} leaves no core dump`, { skip }, async () => {
    using home = tempHome();
    const key = canary("core");
    await using run = await hanging(home, key, program);
    run.process.kill("SIGABRT");
    assert.equal((await run.process.ended).signal, "SIGABRT");
    assert.deepEqual(readdirSync(run.cores), []);
    assert.deepEqual(hitsIn(filesBelow(home.root), key), []);
  });
}

test("a report of Node that NODE_OPTIONS asks for holds no key, and one of plain Node does", async () => {
  using home = tempHome();
  const key = canary("report");
  const reports = join(home.root, "reports");
  mkdirSync(reports);
  const options = `--report-on-signal --report-uncaught-exception --report-on-fatalerror --report-directory=${reports}`;
  await using run = await hanging(home, key, yoiCommand, { NODE_OPTIONS: options });
  run.process.kill("SIGUSR2");
  await eventually("the report is there", () => filesBelow(reports).size === 1, 10_000);
  await eventually(
    "it is whole",
    () => [...filesBelow(reports).values()].some((report) => report.at(-1) === 0x0a),
    10_000,
  );
  run.process.kill("SIGKILL");
  await run.process.ended;
  assert.deepEqual(hitsIn(filesBelow(home.root), key), []);

  const env = { ...home.env, ANTHROPIC_API_KEY: key, NODE_OPTIONS: options };
  spawnSync(process.execPath, ["-e", "process.report.writeReport()"], { env, cwd: home.workspace });
  assert.ok(hitsIn(filesBelow(reports), key).length > 0, "control");
});

test("what nobody caught is said without the key, and makes no report", async () => {
  using home = tempHome();
  const key = canary("uncaught");
  const decoy = canary("decoy");
  const reports = join(home.root, "reports");
  mkdirSync(reports);
  const message = join(home.root, "message");
  await using run = await hanging(home, key, yoiCommand, {
    NODE_OPTIONS: `--import ${throws} --report-uncaught-exception --report-directory=${reports}`,
    YOI_TEST_THROW: message,
  });
  // Beside the folder that is searched: the text is the test's own.
  writeFileSync(message, `failed with ${key} and ${decoy}`);
  const ended = await run.process.ended;
  assert.equal(ended.code, 1);
  assert.match(
    ended.stderr,
    /yoi has a bug .*: Error: failed with \[redacted: ANTHROPIC_API_KEY\] and sk-decoy-/,
  );
  assert.deepEqual(hitsIn(new Map([["stderr", ended.stderr]]), key), []);
  assert.deepEqual(readdirSync(reports), []);
});
