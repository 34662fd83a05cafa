/** The environment of a run: no variable changes where a request goes or what it says, and the key is in no place but its header. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { type Answer, startAnthropicServer } from "../support/anthropic-server.ts";
import { eventually, familyOf } from "../support/processes.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi, startYoi, type YoiResult } from "../support/yoi-process.ts";

const model = ["-m", "anthropic/claude-sonnet-4-5"];
const bash = (command: string): Answer => ({
  blocks: [{ type: "tool_call", name: "Bash", arguments: { command } }],
});
const done: Answer = { blocks: [{ type: "text", text: "all done" }] };

test("no variable of the environment changes the bytes of a request or its target when --base-url is given", async () => {
  using home = tempHome();
  const server = await startAnthropicServer({
    handler: ({ raw }) => (raw.includes("tool_result") ? done : bash("echo hello")),
  });
  const trap = await startAnthropicServer({ handler: () => done });
  const traps = {
    ANTHROPIC_BASE_URL: trap.url,
    ANTHROPIC_AUTH_TOKEN: "trap",
    ANTHROPIC_MODEL: "trap",
    ANTHROPIC_SMALL_FAST_MODEL: "trap",
    ANTHROPIC_CUSTOM_HEADERS: "x-trap: 1",
    ANTHROPIC_BETAS: "trap-2026",
    OPENAI_API_KEY: "trap",
    OPENAI_BASE_URL: trap.url,
    HTTP_PROXY: trap.url,
    HTTPS_PROXY: trap.url,
    ALL_PROXY: trap.url,
    http_proxy: trap.url,
    https_proxy: trap.url,
    all_proxy: trap.url,
    NO_PROXY: "",
    no_proxy: "",
    NODE_USE_ENV_PROXY: "1",
    NODE_TLS_REJECT_UNAUTHORIZED: "1",
    npm_config_proxy: trap.url,
    USER_AGENT: "trap",
  };
  const run = (pod: string, flags: readonly string[], env: Record<string, string>) =>
    runYoi(["run", "go", "--pod", pod, ...model, ...flags, "--sandbox", "off"], {
      env: { ...home.env, ANTHROPIC_API_KEY: "sk-given", ...env },
      cwd: home.workspace,
    });
  try {
    const target = ["--base-url", server.url];
    for (const env of [{}, traps])
      assert.equal((await run(`p${Object.keys(env).length}`, target, env)).code, 0);
    assert.equal(server.requests.length, 4);
    assert.deepEqual([trap.requests.length, trap.connections()], [0, 0]);
    const sent = server.requests.map(({ method, path, headers, raw }) => ({
      method,
      path,
      headers,
      raw: raw.toString(),
    }));
    assert.deepEqual(sent.slice(2), sent.slice(0, 2));
    // Controls: without --base-url the variable is what names the target, and the trap would have been walked into.
    assert.equal((await run("control", [], traps)).code, 0);
    assert.equal(trap.requests.length, 1);
  } finally {
    await Promise.all([server.close(), trap.close()]);
  }
});

const canary = "sk-ant-canary-7f3a9c21d4e8";
/** The key as it stands, and as base64 would hide it. */
const disguises = [canary, Buffer.from(canary).toString("base64").slice(0, -4), encodeURIComponent(canary)];

function leaksIn(text: string): readonly string[] {
  return disguises.filter((disguise) => text.includes(disguise));
}

/** Files below `root` that hold the key. */
function leakingFiles(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => leaksIn(readFileSync(path, "latin1")).length > 0);
}

function assertNoLeak(home: TempHome, outputs: readonly YoiResult[]): void {
  for (const { stdout, stderr } of outputs) assert.deepEqual(leaksIn(stdout + stderr), [], stdout + stderr);
  assert.deepEqual(leakingFiles(home.root), []);
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return "";
  }
}

/** `look` writes what a command can see of keys; `on` sees no process but its own. */
const looks = {
  off: "env > seen.txt; cat /proc/self/environ >> seen.txt; touch ready; sleep 300",
  on: "env > seen.txt; cat /proc/*/environ >> seen.txt; cat /proc/*/cmdline >> seen.txt; touch ready; sleep 300",
};

for (const sandbox of ["off", "on"] as const) {
  const skip = sandbox === "on" ? noBubblewrap() : false;
  test(
    `the key is in no file, no output, no argument and no tool's environment, sandbox ${sandbox}`,
    { skip },
    async () => {
      using home = tempHome();
      const server = await startAnthropicServer({
        handler: ({ raw }) => (raw.includes("tool_result") ? done : bash(looks[sandbox])),
      });
      const args = ["--pod", "p", ...model, "--base-url", server.url, "--sandbox", sandbox];
      const options = { env: { ...home.env, ANTHROPIC_API_KEY: canary }, cwd: home.workspace };
      try {
        const killed = startYoi(["run", "go", ...args], options);
        const isReady = () => readdirSync(home.workspace).includes("ready");
        await eventually("the command has looked", isReady, 20_000);
        const family = familyOf(killed.pid).map(({ pid }) => pid);
        assert.ok(family.length > 2, "the command and the shell around it are there");
        for (const pid of family)
          assert.deepEqual(leaksIn(readProc(pid, "cmdline")), [], `arguments of ${pid}`);
        for (const pid of family.filter((one) => one !== killed.pid))
          assert.deepEqual(leaksIn(readProc(pid, "environ")), [], readProc(pid, "cmdline"));
        killed.kill("SIGKILL");
        const outputs = [
          await killed.ended,
          await runYoi(["run", ...args, "--output-format", "json"], options),
        ];
        for (const reader of [
          ["log", "p", "--json"],
          ["show", "p", "--json"],
          ["verify", "p", "--wire"],
        ])
          outputs.push(await runYoi(["pod", ...reader], options));
        for (const look of [["config", "show"], ["doctor"]]) outputs.push(await runYoi(look, options));
        assert.deepEqual(
          outputs.map(({ code }) => code),
          [null, 0, 0, 0, 0, 0, 0],
        );
        assertNoLeak(home, outputs);
        assert.match(readFileSync(join(home.workspace, "seen.txt"), "utf8"), /YOI_POD=p/);
        // Controls: the key was in use, and a file that holds it is found.
        assert.equal(server.requests[0]?.headers["x-api-key"], canary);
        writeFileSync(join(home.workspace, "leak"), `x${canary}`);
        assert.deepEqual(leakingFiles(home.root), [join(home.workspace, "leak")]);
      } finally {
        await server.close();
      }
    },
  );
}

test("a provider that quotes the key in its refusals does not bring it into the output or the log", async () => {
  using home = tempHome();
  const quoting = { type: "authentication_error", message: `invalid x-api-key: ${canary}` };
  const refusals: readonly Answer[] = [
    { status: 401, body: { type: "error", error: quoting } },
    { status: 400, body: `<html>${canary}</html>` },
    { ...done, fault: { type: "error", after: 2, error: quoting } },
    { ...done, fault: { type: "inject", after: 3, raw: `event: x\ndata: {"broken ${canary}\n\n` } },
  ];
  const outputs: YoiResult[] = [];
  for (const [at, refusal] of refusals.entries()) {
    const server = await startAnthropicServer({ handler: () => refusal });
    const args = [
      "run",
      "go",
      "--pod",
      `p${at}`,
      ...model,
      "--base-url",
      server.url,
      "--output-format",
      "json",
    ];
    const options = { env: { ...home.env, ANTHROPIC_API_KEY: canary }, cwd: home.workspace };
    outputs.push(await runYoi(args, options), await runYoi(["pod", "log", `p${at}`], options));
    assert.equal(server.requests[0]?.headers["x-api-key"], canary);
    await server.close();
  }
  assert.ok(outputs.every(({ code }, at) => (at % 2 === 0 ? code !== 0 : code === 0)));
  assertNoLeak(home, outputs);
});
