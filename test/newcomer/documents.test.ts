/** The documents, word by word: every command of the README, the configuration page and the scripted model's page does what they say. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { JsonObject } from "@yoi/base";
import { exitCode } from "../../packages/cli/src/exit-code.ts";
import { plant } from "../bad-input/machine.ts";
import { type Answer, apiError, startAnthropicServer } from "../support/anthropic-server.ts";
import { modelList, startOpenAiCompatibleServer } from "../support/openai-compatible-server.ts";
import { providerRows, startServerOf } from "../support/providers.ts";
import { eventually } from "../support/processes.ts";
import { findLog } from "../support/stored-log.ts";
import { tempHome } from "../support/temp-home.ts";
import { runYoi } from "../support/yoi-process.ts";
import { shell } from "./shell.ts";

const page = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** The `nth` block of code of a language. */
function block(text: string, language: string, nth = 0): string {
  const found = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))][nth]?.[1];
  assert.ok(found !== undefined, `no block of ${language}`);
  return found;
}

test("the README's Pod on an own folder: started, gone on with after a stop, given more, looked at, verified", async () => {
  using home = tempHome();
  const user = home.env["HOME"] ?? "";
  mkdirSync(join(user, "project"));
  const answers: readonly Answer[] = [
    {
      blocks: [
        {
          type: "tool_call",
          name: "Write",
          arguments: { file_path: join(user, "project/fixed"), content: "x" },
        },
      ],
    },
    apiError(429, "rate_limit_error", "come back tomorrow", { "retry-after": "80000" }),
    { blocks: [{ type: "text", text: "Fixed." }] },
    { blocks: [{ type: "text", text: "Updated." }] },
  ];
  const server = await startAnthropicServer({ answers });
  try {
    const [setKey = "", ...lines] = block(page("README.md"), "sh", 1).trimEnd().split("\n");
    assert.match(setKey, /^export ANTHROPIC_API_KEY=\.\.\./);
    const seen: (readonly [string, number | null])[] = [];
    const said: string[] = [];
    for (const line of lines) {
      const { code, stdout, stderr } = await shell(home, line, {
        cwd: home.workspace,
        providerUrl: server.url,
      });
      seen.push([line.replace(/^npx yoi (run|pod \w+).*$/, "$1"), code]);
      said.push(stdout, stderr);
    }
    assert.deepEqual(
      seen,
      [
        ["run", exitCode.pausedOnLimit],
        ["run", 0],
        ["run", 0],
        ["pod log", 0],
        ["pod verify", 0],
      ],
      said.join("\n"),
    );
    assert.deepEqual([said[2], said[4]], ["Fixed.\n", "Updated.\n"]);
    assert.match(said[8] ?? "", /^fixer: verified\n.*\n {2}4 requests rebuilt .*\n {2}4 request bodies /);
    assert.equal(server.requests.length, 4);
  } finally {
    await server.close();
  }
});

test("the README's hosted Pod: started, attached to, sent to, killed, restored, attached to again", async () => {
  using home = tempHome();
  cpSync(new URL("../../examples", import.meta.url), join(home.workspace, "examples"), { recursive: true });
  const lines = block(page("README.md"), "sh", 3).trimEnd().split("\n");
  const options = { cwd: home.workspace, providerUrl: "http://127.0.0.1:1" };
  const good = async (line: string | undefined): Promise<string> => {
    const { code, stdout, stderr } = await shell(home, line ?? assert.fail("no such line"), options);
    assert.equal(code, 0, `${line}\n${stdout}${stderr}`);
    return stdout;
  };
  assert.equal(lines.length, 6);
  const [start, attach, send, kill, restore, attachAgain] = lines;
  try {
    await good(start);
    const before = good(attach);
    await good(send);
    await good(kill);
    assert.match(await good(restore), /^walker is up: pid \d+, running, /);
    const after = good(attachAgain);
    const log = () => readFileSync(findLog(home.home) ?? assert.fail("no log"));
    await eventually("the run is over", () => log().includes('"run_completed"'), 60_000);
    await good("npx yoi pod stop walker");
    for (const seen of [await before, await after]) {
      for (const line of ["> Walk to the sea", "- started (epoch 2", "- finished", "- the Pod is closing"])
        assert.equal(seen.split(line).length, 2, `${line} stands there once:\n${seen}`);
      assert.match(
        seen,
        /From the top I see the harbour, two boats going out, and behind them nothing but water\.\n- finished/,
      );
    }
    assert.match(await good("npx yoi pod verify walker --wire"), /^walker: verified\n/);
  } finally {
    await shell(home, "npx yoi pod stop walker", options);
  }
});

test("the README's run with each kind of provider", async () => {
  using home = tempHome();
  mkdirSync(join(home.workspace, "src"));
  writeFileSync(join(home.workspace, "src/main.ts"), "export const answer = 42;\n");
  const kinds = [
    { row: providerRows.anthropic, baseUrl: "ANTHROPIC_BASE_URL", path: "" },
    { row: providerRows.openai, baseUrl: "OPENAI_BASE_URL", path: "/v1" },
    { row: providerRows.google, baseUrl: "GOOGLE_GEMINI_BASE_URL", path: "" },
    { row: providerRows.openAiCompatible, baseUrl: null, path: "/v1" },
  ];
  const lines = block(page("README.md"), "sh", 2).trimEnd().split("\n");
  assert.equal(lines.length, kinds.length);
  for (const [index, line] of lines.entries()) {
    const kind = kinds[index];
    assert.ok(kind !== undefined);
    const answers: readonly Answer[] = [{ blocks: [{ type: "text", text: "It answers." }] }];
    const server =
      kind.baseUrl === null
        ? await startOpenAiCompatibleServer({ answers, models: modelList(["house"]) })
        : await startServerOf(kind.row, { answers });
    try {
      const url = `${server.url}${kind.path}`;
      const key = /# ([A-Z_]+_API_KEY)$/.exec(line)?.[1];
      const { code, stdout, stderr } = await shell(home, line.replace("http://127.0.0.1:8080/v1", url), {
        cwd: home.workspace,
        providerUrl: "http://127.0.0.1:1",
        env: {
          ...(kind.baseUrl === null ? {} : { [kind.baseUrl]: url }),
          ...(key === undefined ? {} : { [key]: "a-key-for-the-readme" }),
        },
      });
      assert.deepEqual([code, stdout], [0, "It answers.\n"], stderr);
      assert.match(server.requests.at(-1)?.raw.toString() ?? "", /answer = 42/, "the attached file is sent");
    } finally {
      await server.close();
    }
  }
});

test("the configuration page's file is in force as it stands, and every key that there is stands in it", async () => {
  using home = tempHome();
  const blockOf = (table: string, document = "docs/configuration.md") =>
    new RegExp(`^\`\`\`toml\\n(${table}\\n[\\s\\S]*?)^\`\`\`$`, "m").exec(page(document))?.[1];
  const text = [
    block(page("docs/configuration.md"), "toml"),
    blockOf("\\[\\[providers\\]\\]"),
    blockOf("\\[web\\]"),
    blockOf("\\[compaction\\]", "docs/long-sessions.md"),
  ].join("");
  plant(join(home.home, "config/config.toml"), text);
  const options = { env: home.env, cwd: home.workspace };
  const checked = await runYoi(["config", "check"], options);
  assert.equal(checked.code, 0, checked.stderr);
  const shown = await runYoi(["config", "show", "--json"], options);
  const { values } = JSON.parse(shown.stdout) as {
    values: readonly { key: string; value: unknown; origin: string }[];
  };
  const ofUser = values.filter(({ origin }) => origin !== "built-in").map(({ key, value }) => [key, value]);
  assert.deepEqual(Object.fromEntries(ofUser.filter(([, value]) => typeof value !== "object")), {
    "features.pods": true,
    "features.task": true,
    "features.tickets": false,
    "tickets.role": "intake",
    "tickets.close": false,
    "skills.enabled": true,
    "terminal.screen": "main",
    "terminal.theme": "auto",
    "terminal.bell": true,
    "model.ref": "anthropic/claude-sonnet-4-5",
    "permissions.mode": "allow-in-scope",
    "sandbox.mode": "on",
    "sandbox.network": false,
    "worker.max_turns": 200,
    "worker.language": "English",
    "worker.tool_output.default_max_bytes": 65536,
    "worker.file_upload.max_bytes": 262144,
    "budget.max_tokens": 20_000_000,
    "budget.max_cost_usd": 25,
    "budget.max_turns": 5_000,
    "budget.max_seconds": 86_400,
    "compaction.prune_protected_tokens": 8_000,
    "compaction.prune_min_savings": 4_096,
    "compaction.retained_tokens": 8_000,
    "compaction.result_context_max_tokens": 60_000,
    "compaction.summary_target_tokens": 2_000,
    "compaction.summary_max_tokens": 4_000,
    "compaction.overview_target_tokens": 8_000,
    "compaction.overview_warning_tokens": 16_000,
    "compaction.overview_deadline_tokens": 40_000,
    "compaction.worker_context_max_tokens": 50_000,
    "compaction.finish_warning_remaining_tokens": 8_000,
    "compaction.final_reserve_tokens": 4_000,
    "compaction.worker_max_turns": 20,
    "session.record_event_trace": false,
    "web.enabled": true,
    "web.fetch.timeout_secs": 20,
    "web.fetch.redirect_limit": 5,
    "web.fetch.max_response_bytes": 2097152,
    "web.fetch.max_output_bytes": 49152,
    "web.search.provider": "brave",
    "web.search.timeout_secs": 15,
  });
  for (const { key } of values) {
    const name =
      key
        .replace(/\[\d+\]$/, "")
        .split(".")
        .at(-1) ?? "";
    assert.match(text, new RegExp(`\\b${name}\\b`), key);
  }
});

test("the configuration page's exit codes are the program's", () => {
  const rows = [...page("docs/configuration.md").matchAll(/^\| ([\d /]+) \| /gm)];
  const codes = rows.flatMap(([, cell]) => (cell ?? "").split("/").map(Number));
  assert.deepEqual(codes, Object.values(exitCode));
});

test("the scripted model's page: its example runs to its end on the real tools", async (t) => {
  using home = tempHome();
  const project = join(home.root, "fix");
  mkdirSync(project);
  const text = page("packages/model/docs/scripted.md");
  // The example's absolute paths are somebody's own folder.
  writeFileSync(join(project, "fix.yaml"), block(text, "yaml").replaceAll("/tmp/fix", project));
  plant(join(project, "sum.js"), "let s = 1;\nfor (const n of [1, 2]) s += n;\nconsole.log(s);\n");
  plant(join(project, "package.json"), '{ "scripts": { "test": "true" } }\n');
  const ran = await shell(home, block(text, "sh").trim(), {
    cwd: project,
    providerUrl: "http://127.0.0.1:1",
  });
  assert.deepEqual([ran.code, ran.stdout], [0, "The test passes now.\n"], ran.stderr);
  assert.match(readFileSync(join(project, "sum.js"), "utf8"), /^let s = 0;/);
  t.diagnostic(ran.stderr.trim());
});

test("a trace is written when the configuration says so, without a word of what was said, and goes with its Pod", async () => {
  using home = tempHome();
  const canary = "CANARY";
  const scenario = {
    steps: [
      {
        reasoning: canary,
        text: canary,
        tool_calls: [
          { name: "Write", arguments: { file_path: join(home.workspace, canary), content: canary } },
          { name: "Bash", arguments: { command: `echo ${canary}` } },
        ],
      },
      { text: canary },
    ],
  };
  plant(join(home.workspace, "s.yaml"), JSON.stringify(scenario));
  const options = { env: home.env, cwd: home.workspace };
  const run = (name: string) =>
    runYoi(["run", canary, "--pod", name, "-m", "scripted/s.yaml", "--sandbox", "off"], options);
  const traces = async () => {
    const listed = await runYoi(["pod", "show", "p", "--json"], options);
    const { log } = JSON.parse(listed.stdout) as { log: string };
    return log.replace(/\.jsonl$/, ".trace.jsonl");
  };
  assert.equal((await run("p")).code, 0);
  const path = await traces();
  assert.throws(() => readFileSync(path), { code: "ENOENT" });
  plant(join(home.home, "config/config.toml"), "[session]\nrecord_event_trace = true\n");
  writeFileSync(
    join(home.workspace, "s.yaml"),
    JSON.stringify({ steps: [...scenario.steps, ...scenario.steps] }),
  );
  const traced = await run("p");
  assert.equal(traced.code, 0, traced.stderr);
  const text = readFileSync(path, "utf8");
  assert.ok(!text.includes(canary));
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject);
  for (const label of [
    "run_start",
    "request_recorded",
    "block_delta",
    "tool_start",
    "tool_end",
    "answer",
    "run_end",
  ])
    assert.ok(
      lines.some((line) => line["label"] === label),
      label,
    );
  assert.equal((await runYoi(["pod", "verify", "p", "--wire"], options)).code, 0);
  assert.equal((await runYoi(["pod", "rm", "p"], options)).code, 0);
  assert.throws(() => readFileSync(path), { code: "ENOENT" });
  rmSync(join(home.home, "config"), { recursive: true });
});
