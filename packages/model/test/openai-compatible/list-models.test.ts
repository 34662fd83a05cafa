/** The list of a server's models: as servers give it, and each way in which there is none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Timers, YoiError } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { listModels, modelListBytesMax, modelListTimeoutMs } from "@yoi/model";
import { modelList, startOpenAiCompatibleServer } from "../../../../test/support/openai-compatible-server.ts";
import type { Answer } from "../../../../test/support/provider-answer.ts";
import { key } from "./bench.ts";

const { timers } = nodeHost();

async function served(models: Answer, path = "/v1", more: { apiKey?: string; timers?: Timers } = {}) {
  const server = await startOpenAiCompatibleServer({ handler: () => models });
  try {
    const list = await listModels({ baseUrl: `${server.url}${path}`, timers, ...more });
    return { list, requests: server.requests };
  } finally {
    await server.close();
  }
}

async function refusal(models: Answer, path?: string, more?: { apiKey?: string }): Promise<string> {
  try {
    await served(models, path, more);
  } catch (error) {
    assert.ok(error instanceof YoiError, String(error));
    assert.match(error.message, /^The server at 127\.0\.0\.1:\d+ [^\n]+\.$/);
    return `${error.code}: ${error.message.replace(/127\.0\.0\.1:\d+/, "HOST")}`;
  }
  throw new Error("it was no refusal");
}

test("models and their windows, as each server lists them", async () => {
  const rows: readonly [string, Answer, readonly unknown[]][] = [
    ["Ollama", modelList(["llama3.2:latest"]), [{ id: "llama3.2:latest", contextWindow: null }]],
    ["vLLM", modelList([{ id: "Qwen/Q", max_model_len: 40960 }]), [{ id: "Qwen/Q", contextWindow: 40960 }]],
    [
      "llama.cpp",
      modelList([{ id: "/m.gguf", meta: { n_ctx_train: 131072, n_ctx: 4096 } }]),
      [{ id: "/m.gguf", contextWindow: 4096 }],
    ],
    [
      "llama.cpp before",
      modelList([{ id: "/m.gguf", meta: { n_ctx_train: 131072 } }]),
      [{ id: "/m.gguf", contextWindow: 131072 }],
    ],
    [
      "OpenRouter",
      modelList([
        { id: "a/b", context_length: 8192 },
        { id: "c/d", context_length: 0 },
      ]),
      [
        { id: "a/b", contextWindow: 8192 },
        { id: "c/d", contextWindow: null },
      ],
    ],
    [
      "Together",
      { status: 200, body: [{ id: "x", context_length: 1.5 }] },
      [{ id: "x", contextWindow: null }],
    ],
    [
      "LM Studio",
      modelList(["qwen3", "text-embedding-nomic-embed-text-v1.5"]),
      [{ id: "qwen3", contextWindow: null }],
    ],
    ["one twice", modelList(["m", "m"]), [{ id: "m", contextWindow: null }]],
    ["none", modelList([]), []],
    ["entries that are none", { status: 200, body: { data: [null, 5, { id: 7 }, { id: "" }] } }, []],
  ];
  for (const [name, models, expected] of rows) assert.deepEqual((await served(models)).list, expected, name);
});

test("it is asked below the base URL, with the key if there is one", async () => {
  const { requests } = await served(modelList(["m"]), "/api/v1/");
  assert.deepEqual(
    requests.map(({ method, path, headers }) => [method, path, headers.authorization]),
    [["GET", "/api/v1/models", undefined]],
  );
  const keyed = await served(modelList(["m"]), "", { apiKey: key });
  assert.deepEqual(
    keyed.requests.map(({ path, headers }) => [path, headers.authorization]),
    [["/v1/models", `Bearer ${key}`]],
  );
});

test("what is no list is one sentence", async () => {
  const name = "or name the model with -m openai-compatible/<id>.";
  const check = `check --base-url, which ends in /v1 for most servers, ${name}`;
  const none = `config_invalid: The server at HOST answers GET /v1/models with something else than a list of models: ${check}`;
  assert.equal(await refusal({ status: 200, body: "<html>" }), none);
  assert.equal(await refusal({ status: 200, body: { models: [] } }), none);
  assert.equal(await refusal({ status: 200, body: "null" }), none);
  for (const status of [301, 404, 418]) {
    assert.equal(
      await refusal({ status, headers: { location: "http://elsewhere/" } }, "/api"),
      `config_invalid: The server at HOST answers GET /api/models with status ${status}: ${check}`,
    );
  }
  assert.match(await refusal({ status: 401 }), /^credentials_missing: .*status 401.*`yoi secret set /);
  assert.match(await refusal({ status: 403 }), /^credentials_missing: /);
  assert.match(await refusal({ status: 503 }), /^model_failed: .*status 503.*-m openai-compatible/);
  const gone = await refusal("hang_up", "/v1", { apiKey: key });
  assert.match(
    gone,
    /^model_failed: The server at HOST cannot be reached \(ECONNRESET.*check the network and --base-url\.$/,
  );
  const cutOff = { status: 200, headers: { "content-length": "99" }, body: '{"data":[' };
  assert.match(await refusal(cutOff), /^model_failed: /);
});

test("a base URL that is none is refused without asking", async () => {
  for (const baseUrl of ["127.0.0.1:8080", "ftp://x", "http://user:hunter2@x", "http://x/?token=hunter2"]) {
    await assert.rejects(listModels({ baseUrl, timers }), (thrown) => {
      assert.ok(thrown instanceof YoiError && thrown.code === "config_invalid");
      assert.match(thrown.message, /--base-url/);
      assert.ok(!thrown.message.includes("hunter2"));
      return true;
    });
  }
});

test("a list of as many bytes as may be is read, one more is not", async () => {
  const list = (bytes: number): Answer => {
    const body = '{"data":[{"id":"m"}]}';
    return { status: 200, body: body + " ".repeat(bytes - body.length) };
  };
  assert.equal((await served(list(modelListBytesMax))).list.length, 1);
  assert.match(
    await refusal(list(modelListBytesMax + 1)),
    /^config_invalid: .* with something else than a list of models/,
  );
});

test("a server that says nothing is given up after the limit, and no timer is left", async () => {
  const set: { delayMs: number; fire: () => void; cancelled: boolean }[] = [];
  const byHand: Timers = {
    ...timers,
    after: (delayMs, fire) => {
      const timer = { delayMs, fire, cancelled: false };
      set.push(timer);
      return () => void (timer.cancelled = true);
    },
  };
  const server = await startOpenAiCompatibleServer({ handler: () => "silence" });
  try {
    const asked = listModels({ baseUrl: server.url, timers: byHand });
    await server.arrived(1);
    set[0]?.fire();
    await assert.rejects(asked, /cannot be reached \(no whole answer within 10 s\)/);
    assert.equal(await server.requests[0]?.closedEarly, true);
  } finally {
    await server.close();
  }
  await served(modelList(["m"]), "/v1", { timers: byHand });
  assert.deepEqual(
    set.map(({ delayMs, cancelled }) => [delayMs, cancelled]),
    [
      [modelListTimeoutMs, true],
      [modelListTimeoutMs, true],
    ],
  );
});
