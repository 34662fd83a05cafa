/** How runs end that do not simply finish: permissions, limits, no sandbox, signals. */
import assert from "node:assert/strict";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { JsonObject } from "@yoi/base";
import { startAnthropicServer } from "../support/anthropic-server.ts";
import { aliveWithEnv, eventually } from "../support/processes.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi, startYoi } from "../support/yoi-process.ts";
import {
  assertVerifies,
  environmentOf,
  key,
  model,
  plant,
  resultOf,
  sentenceOf,
  treeOf,
  yoi,
} from "./machine.ts";
import { bash, entriesOf, pod, say, scenario, scripted, writeCall } from "./scenario.ts";

describe("permissions", () => {
  interface PermissionCase {
    readonly name: string;
    readonly flags?: readonly string[];
    /** The user's `[permissions]`. */
    readonly config?: string;
    /** The project's. */
    readonly project?: string;
    readonly steps: (home: TempHome) => readonly object[];
    readonly code: number;
    readonly denials: readonly (readonly [tool: string, kind: string])[];
    readonly written: boolean;
  }
  const file = (home: TempHome) => join(home.workspace, "out.txt");
  const writes = (home: TempHome) => [writeCall(file(home)), say("Done.")];
  const denyWrite = '[[permissions.rule]]\ntool = "Write"\npattern = "*"\naction = "deny"\n';
  const askWrite = denyWrite.replace("deny", "ask");
  const allowWrite = denyWrite.replace("deny", "allow");
  const table: readonly PermissionCase[] = [
    { name: "allow-in-scope is the default", steps: writes, code: 0, denials: [], written: true },
    {
      name: "ask passes reads and refuses a write: exit 6",
      flags: ["--permission-mode", "ask"],
      steps: (home) => [
        { tool_calls: [{ name: "Read", arguments: { file_path: join(home.workspace, "s.yaml") } }] },
        ...writes(home),
      ],
      code: 6,
      denials: [["Write", "asked"]],
      written: false,
    },
    {
      name: "a refusal that the run got over is listed, and no failure",
      flags: ["--permission-mode", "ask"],
      steps: (home) => [
        writeCall(file(home)),
        { tool_calls: [{ name: "Read", arguments: { file_path: join(home.workspace, "s.yaml") } }] },
        say("Done without it."),
      ],
      code: 0,
      denials: [["Write", "asked"]],
      written: false,
    },
    {
      name: "deny-unlisted refuses; that is an answer, so exit 0",
      flags: ["--permission-mode", "deny-unlisted"],
      steps: writes,
      code: 0,
      denials: [["Write", "denied"]],
      written: false,
    },
    {
      name: "deny-unlisted with a rule that allows",
      flags: ["--permission-mode", "deny-unlisted"],
      config: allowWrite,
      steps: writes,
      code: 0,
      denials: [],
      written: true,
    },
    {
      name: "a rule that denies",
      config: denyWrite,
      steps: writes,
      code: 0,
      denials: [["Write", "denied"]],
      written: false,
    },
    {
      name: "a rule that asks: exit 6",
      config: askWrite,
      steps: writes,
      code: 6,
      denials: [["Write", "asked"]],
      written: false,
    },
    {
      name: "a project's rule stands beside the user's allow",
      config: allowWrite,
      project: denyWrite,
      steps: writes,
      code: 0,
      denials: [["Write", "denied"]],
      written: false,
    },
  ];
  const permissionNeeded = (target: string, because: string) =>
    `The run ended without a permission that it needed. Write: ${target}: Permission needed: ${because} wants a person to allow this, and nobody can be asked now. Nothing was done. Change that rule where it stands (for a mode, add an allow rule to [permissions] of your config.toml) and give the Pod a new prompt: \`yoi run --pod ${pod} "..."\`.`;

  test("a project's rule that asks is named, and the Pod goes on as the sentence says", async () => {
    using home = tempHome();
    scenario(home, ...writes(home), ...writes(home));
    const project = join(home.workspace, ".yoi", "config.toml");
    plant(join(home.home, "config", "config.toml"), allowWrite);
    plant(project, askWrite);
    const asked = await yoi(home, ["run", "x", ...scripted]);
    assert.equal(asked.code, 6, asked.stderr);
    assert.equal(
      sentenceOf(asked.stderr),
      permissionNeeded(file(home), `the rule ask Write(*) of ${project}`),
    );
    plant(project, "");
    const allowed = await yoi(home, ["run", "--pod", pod, "Again"]);
    assert.equal(allowed.code, 0, allowed.stderr);
    assert.ok(existsSync(file(home)));
  });

  for (const { name, flags = [], config, project, steps, code, denials, written } of table) {
    test(name, async () => {
      using home = tempHome();
      scenario(home, ...steps(home));
      if (config !== undefined) plant(join(home.home, "config", "config.toml"), config);
      if (project !== undefined) plant(join(home.workspace, ".yoi", "config.toml"), project);
      const ran = await yoi(home, ["run", "x", ...scripted, ...flags, "--output-format", "json"]);
      assert.equal(ran.code, code, ran.stdout + ran.stderr);
      const result = resultOf(ran.stdout);
      assert.deepEqual(
        result.permission_denials.map(({ tool, kind }) => [tool, kind]),
        denials,
      );
      assert.deepEqual(
        [result.subtype, result.is_error, result.error_code],
        code === 0 ? ["success", false, null] : ["permission_needed", true, "permission_needed"],
      );
      assert.equal(existsSync(file(home)), written);
      if (code === 6) {
        const because =
          config === undefined
            ? "the permission mode ask"
            : `the rule ask Write(*) of ${join(home.home, "config", "config.toml")}`;
        assert.equal(sentenceOf(ran.stderr), permissionNeeded(file(home), because));
      } else assert.equal(ran.stderr, "");
      await assertVerifies(home, pod);
    });
  }
});

test("--max-turns ends with exit 5, and the run goes on where it was", async () => {
  using home = tempHome();
  scenario(
    home,
    writeCall(join(home.workspace, "one")),
    writeCall(join(home.workspace, "two")),
    say("All three."),
  );
  const limited = await yoi(home, ["run", "x", ...scripted, "--max-turns", "1", "--output-format", "json"]);
  assert.equal(limited.code, 5, limited.stderr);
  const { subtype, error_code, num_turns } = resultOf(limited.stdout);
  assert.deepEqual([subtype, error_code, num_turns], ["limit_turns", "limit_turns", 1]);
  assert.equal(
    sentenceOf(limited.stderr),
    "The run stopped at its limit of 1 turn: `yoi run --pod p` goes on with it.",
  );
  const rest = await yoi(home, ["run", ...scripted]);
  assert.deepEqual([rest.code, rest.stdout], [0, "All three.\n"], rest.stderr);
  assert.deepEqual(
    ["one", "two"].map((name) => existsSync(join(home.workspace, name))),
    [true, true],
  );
  const over = await yoi(home, ["run", ...scripted]);
  assert.equal(over.code, 2);
  assert.equal(
    sentenceOf(over.stderr),
    "There is nothing to resume: the last run of this Pod ended. Give a prompt to start a new one.",
  );
  await assertVerifies(home, pod);
});

test("without bubblewrap a shell call is refused with what to do, and the run goes on", async () => {
  using home = tempHome();
  const bin = join(home.root, "bin");
  mkdirSync(bin);
  for (const tool of ["sh", "dirname", "readlink", "uname", "bash"])
    symlinkSync(findTool(tool), join(bin, tool));
  scenario(home, bash("echo ran > ran"), say("Without a shell, then."));
  const ran = await runYoi(["run", "x", ...scripted], {
    env: { ...home.env, PATH: bin },
    cwd: home.workspace,
  });
  assert.deepEqual([ran.code, ran.stdout], [0, "Without a shell, then.\n"], ran.stderr);
  assert.match(
    ran.stderr,
    /^Shell commands need the sandbox bubblewrap, and no bwrap is on PATH .*(apt-get|dnf|pacman|apk|zypper) .*bubblewrap\n$/,
  );
  assert.ok(!existsSync(join(home.workspace, "ran")));
  const log = await yoi(home, ["pod", "log", pod, "--json"]);
  const result = entriesOf(log.stdout).find((entry) => entry["kind"] === "tool_result")?.[
    "item"
  ] as JsonObject;
  assert.equal(result["is_error"], true);
  assert.match(String(result["summary"]), /bubblewrap.*(apt-get|apt|dnf|pacman|apk|zypper) .*bubblewrap/s);
  await assertVerifies(home, pod);
});

function findTool(name: string): string {
  for (const folder of ["/usr/bin", "/bin", ...(process.env["PATH"] ?? "").split(":")]) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      continue;
    }
  }
  throw new Error(`this machine has no ${name}`);
}

describe("signals", () => {
  for (const [signal, code, pressed] of [
    ["SIGINT", 130, "ctrl-C"],
    ["SIGTERM", 143, "SIGTERM"],
  ] as const) {
    test(`${pressed}: exit ${code}, the log is closed, and the run goes on`, async () => {
      using home = tempHome();
      const server = await startAnthropicServer({
        handler: (_, index) =>
          index === 0
            ? { blocks: [{ type: "text", text: "a first part of it" }], fault: { type: "stall", after: 3 } }
            : { blocks: [{ type: "text", text: "all done" }] },
      });
      const env = environmentOf(home, { ANTHROPIC_API_KEY: key });
      const args = ["--pod", pod, "-m", model, "--base-url", server.url, "--output-format", "json"];
      try {
        const running = startYoi(["run", "go", ...args], { env, cwd: home.workspace });
        await server.arrived(1);
        await eventually("a part of the answer is kept", () => logOf(home).includes("assistant_partial"));
        running.killGroup(signal);
        const ended = await running.ended;
        assert.deepEqual([ended.code, ended.signal], [code, null], ended.stderr);
        const { subtype, is_error, error_code, session_id } = resultOf(ended.stdout);
        assert.deepEqual([subtype, is_error, error_code], ["interrupted", true, "interrupted"]);
        assert.notEqual(session_id, null);
        assert.equal(
          sentenceOf(ended.stderr),
          "The run was stopped; everything up to here is in the log: `yoi run --pod p` goes on with it.",
        );
        const shown = JSON.parse((await yoi(home, ["pod", "show", pod, "--json"])).stdout) as JsonObject;
        assert.deepEqual([shown["state"], shown["owner_pid"]], ["paused", null]);
        await assertVerifies(home, pod);
        const resumed = await yoi(home, ["run", ...args], { env });
        assert.equal(resumed.code, 0, resumed.stderr);
        // The whole answer: what was kept of it, and what the model went on with.
        assert.equal(resultOf(resumed.stdout).result, "a first part of all done");
        const entries = entriesOf((await yoi(home, ["pod", "log", pod, "--json"])).stdout);
        assert.ok(
          entries.some(
            ({ kind, item }) => kind === "assistant_item" && (item as JsonObject)["status"] === "incomplete",
          ),
          "the part that had arrived is not kept",
        );
        await assertVerifies(home, pod);
      } finally {
        await server.close();
      }
    });
  }

  test("ctrl-C twice: it ends at once, nothing is left running, and the next run recovers", async () => {
    using home = tempHome();
    // A command that notes the first ctrl-C and goes on, so that an orderly stop would wait for it.
    const stubborn = "trap 'echo > asked' TERM; echo > up; while :; do sleep 0.1; done";
    scenario(home, bash(stubborn), say("Recovered."));
    const args = ["run", "x", ...scripted, "--sandbox", "off"];
    const running = startYoi(args, { env: home.env, cwd: home.workspace });
    const there = (name: string) => () => existsSync(join(home.workspace, name));
    await eventually("the command runs", there("up"));
    running.kill("SIGINT");
    await eventually("the first one is being obeyed", there("asked"));
    const pressedMs = performance.now();
    running.kill("SIGINT");
    const ended = await running.ended;
    const tookMs = performance.now() - pressedMs;
    assert.deepEqual([ended.code, ended.signal, ended.stdout], [null, "SIGINT", ""], ended.stderr);
    assert.ok(tookMs < 700, `it took ${tookMs} ms; the orderly stop alone waits 1 s`);
    await eventually("no process of the run is left", () => aliveWithEnv(`YOI_CALL=${pod}/`).length === 0);
    const recovered = await yoi(home, ["run", ...scripted, "--sandbox", "off"]);
    assert.deepEqual([recovered.code, recovered.stdout], [0, "Recovered.\n"], recovered.stderr);
    await assertVerifies(home, pod);
  });
});

function logOf(home: TempHome): string {
  const path = [...treeOf(home.home).keys()].find((name) => name.endsWith(".jsonl"));
  return path === undefined ? "" : readFileSync(join(home.home, path), "utf8");
}
