/** A local OpenAI-compatible server needs nothing but its base URL: the real program asks it for its model, and a Pod keeps it. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { type Answer, modelList, startOpenAiCompatibleServer } from "../support/openai-compatible-server.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi, startYoi } from "../support/yoi-process.ts";

const pod = "local";
const models = modelList([{ id: "qwen3:8b", max_model_len: 40960 }]);

function yoi(home: TempHome, ...args: readonly string[]) {
  // Other providers' keys are nobody's business here.
  const env = { ...home.env, ANTHROPIC_API_KEY: "sk-trap", OPENAI_API_KEY: "sk-trap" };
  return runYoi(args, { env, cwd: home.workspace });
}

test("run, tool call, kill -9, resume without flags, and every byte verified: with nothing but --base-url", async () => {
  using home = tempHome();
  const file = join(home.workspace, "a.txt");
  const answers: readonly Answer[] = [
    {
      blocks: [
        { type: "reasoning", text: "A file is wanted." },
        { type: "tool_call", name: "Write", arguments: { file_path: file, content: "once\n" } },
      ],
    },
    { blocks: [{ type: "text", text: "half of an answer" }], fault: { type: "stall", after: { deltas: 1 } } },
    { blocks: [{ type: "text", text: "Written." }] },
    { blocks: [{ type: "text", text: "Welcome." }] },
  ];
  const server = await startOpenAiCompatibleServer({ models, answers });
  try {
    const baseUrl = `${server.url}/v1`;
    const args = ["run", "--pod", pod, "--base-url", baseUrl, "write a file"];
    const killed = startYoi(args, { env: home.env, cwd: home.workspace });
    await Promise.race([server.arrived(3), killed.ended]);
    assert.match(
      killed.output().stderr,
      /^Model openai-compatible\/qwen3:8b, the only one of the server\.$/m,
    );
    killed.kill("SIGKILL");
    assert.equal((await killed.ended).signal, "SIGKILL");

    const resumed = await yoi(home, "run", "--pod", pod);
    assert.deepEqual([resumed.code, resumed.stdout.endsWith("Written.\n")], [0, true], resumed.stderr);
    const more = await yoi(home, "run", "--pod", pod, "thanks");
    assert.deepEqual([more.code, more.stdout], [0, "Welcome.\n"], more.stderr);
    const verified = await yoi(home, "pod", "verify", pod, "--wire", "--json");
    assert.equal(verified.code, 0, verified.stderr);
    const { ok, requests, wire_checked } = JSON.parse(verified.stdout) as Record<string, unknown>;
    assert.deepEqual({ ok, requests, wire_checked }, { ok: true, requests: 4, wire_checked: 4 });

    assert.equal(readFileSync(file, "utf8"), "once\n");
    const sent = server.requests.map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(sent, ["GET /v1/models", ...answers.map(() => "POST /v1/chat/completions")]);
    for (const { headers } of server.requests) {
      assert.equal(headers.authorization, undefined);
      assert.ok(!JSON.stringify(headers).includes("sk-trap"));
    }
    const bodies = server.requests.slice(1).map(({ body }) => body as Record<string, unknown>);
    for (const { model, max_tokens } of bodies)
      assert.deepEqual({ model, max_tokens }, { model: "qwen3:8b", max_tokens: undefined });
    assert.match(JSON.stringify(bodies[2]), /"reasoning_content":"A file is wanted\."/);
    const shown = await yoi(home, "pod", "show", pod, "--json");
    assert.match(shown.stdout, /openai-compatible\/qwen3:8b/);
  } finally {
    await server.close();
  }
});

test("no model that a file names takes the key of its provider to a base URL of the command line", async () => {
  const answers: readonly Answer[] = [{ blocks: [{ type: "text", text: "Hi." }] }];
  for (const file of ["user", "project"] as const) {
    using home = tempHome();
    const directory = file === "user" ? join(home.home, "config") : join(home.workspace, ".yoi");
    mkdirSync(directory);
    writeFileSync(join(directory, "config.toml"), '[model]\nref = "openai/gpt-5.2"\n');
    const server = await startOpenAiCompatibleServer({ models, answers: [...answers, ...answers] });
    try {
      const run = await yoi(home, "run", "--pod", pod, "--base-url", `${server.url}/v1`, "hi");
      assert.deepEqual([run.code, run.stdout], [0, "Hi.\n"], run.stderr);
      assert.match(
        run.stderr,
        /^\S+config\.toml:2: model\.ref = "openai\/gpt-5\.2" does not count beside --base-url, [^\n]*\nModel openai-compatible\/qwen3:8b, the only one of the server\.$/m,
      );
      const again = await yoi(home, "run", "--pod", pod, "--base-url", `${server.url}/v1`, "more");
      assert.deepEqual([again.code, again.stdout], [0, "Hi.\n"], again.stderr);
      assert.deepEqual(
        server.requests.map(({ path, headers }) => [path, headers.authorization]),
        [
          ["/v1/models", undefined],
          ["/v1/chat/completions", undefined],
          ["/v1/chat/completions", undefined],
        ],
      );
      // Control: whoever names the model sends the key.
      const named = await yoi(home, "run", "-m", "openai/m", "--base-url", `${server.url}/v1`, "hi");
      assert.notEqual(named.code, 0);
      assert.equal(server.requests.at(-1)?.headers.authorization, "Bearer sk-trap");
    } finally {
      await server.close();
    }
  }
});

test("what a server does not settle is one sentence, and no Pod is left behind", async () => {
  using home = tempHome();
  const listing = await startOpenAiCompatibleServer({ models: modelList(["a", "b"]) });
  const bare = await startOpenAiCompatibleServer({ models: { status: 404 } });
  const gone = await startOpenAiCompatibleServer({});
  await gone.close();
  const rows: readonly [readonly string[], number, RegExp][] = [
    [
      ["--base-url", listing.url],
      3,
      /^yoi: The server at \S+ has 2 models \(a, b\): choose one with -m openai-compatible\/<id>\.\n$/,
    ],
    [
      ["--base-url", bare.url],
      3,
      /^yoi: The server at \S+ answers GET \/v1\/models with status 404: check --base-url, [^\n]+\.\n$/,
    ],
    [
      ["--base-url", gone.url],
      1,
      /^yoi: The server at \S+ cannot be reached \(ECONNREFUSED[^\n]+; check the network and --base-url\.\n$/,
    ],
    [
      ["-m", "openai-compatible/a"],
      3,
      /^yoi: The provider openai-compatible has no endpoint of its own: [^\n]*--base-url[^\n]*config\.toml\.\n$/,
    ],
  ];
  try {
    for (const [flags, code, says] of rows) {
      const ended = await yoi(home, "run", ...flags, "hi");
      assert.match(ended.stderr, says);
      assert.deepEqual([ended.code, ended.stdout], [code, ""]);
    }
    assert.equal((await yoi(home, "pod", "list", "--json")).stdout, '{"pods":[]}\n');
  } finally {
    await Promise.all([listing.close(), bare.close()]);
  }
});
