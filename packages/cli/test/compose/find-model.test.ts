/** Which model runs where a base URL is given and nobody names one. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { YoiError } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { type FlagLayer, type Manifest, parseConfig, resolveManifest } from "@yoi/manifest";
import { modelNameBytesMax, namedModelsMax, resolveWithModel } from "../../src/compose/find-model.ts";
import type { Environment } from "../../src/environment.ts";
import {
  type Answer,
  modelList,
  startOpenAiCompatibleServer,
} from "../../../../test/support/openai-compatible-server.ts";

const defaultModel = "anthropic/claude-test";

interface Given {
  /** The text of the user's file. */
  readonly config?: string;
  readonly kept?: Manifest;
  readonly flags?: FlagLayer;
}

function resolve(flags: FlagLayer, config: string | undefined) {
  const source = { path: "/c/config.toml", trust: "user" } as const;
  const layers = config === undefined ? {} : { user: parseConfig(config, source) };
  return resolveManifest({
    layers,
    flags,
    workspace: "/w",
    defaultScope: { allow: [], deny: [] },
    defaultModel,
  });
}

/** The model that is found with a server that lists `models`, without its base URL; `asked`: how often the server was. */
async function find(models: Answer, given: (url: string) => Given = () => ({})) {
  const data = mkdtempSync(join(tmpdir(), "yoi-find-"));
  const server = await startOpenAiCompatibleServer({ handler: () => models });
  const baseUrl = `${server.url}/v1`;
  const { config, kept = null, flags = { baseUrl } } = given(baseUrl);
  const environment: Environment = {
    variables: {},
    directories: { config: data, data, runtime: data },
    workingDirectory: () => "/w",
    home: null,
    stdin: "other",
    stdoutIsTerminal: false,
    stderr: { isTerminal: false, columns: 80 },
  };
  const said: string[] = [];
  try {
    const { manifest } = await resolveWithModel({
      flags,
      kept,
      resolve: async (layer) => resolve(layer, config),
      environment,
      host: nodeHost(),
      say: (text) => said.push(text),
      signal: new AbortController().signal,
    });
    const { base_url, definition: _, ...model } = manifest.model;
    return { model, at: base_url === baseUrl, said, asked: server.requests.length };
  } finally {
    await server.close();
    rmSync(data, { recursive: true, force: true });
  }
}

async function refusal(models: Answer): Promise<string> {
  try {
    await find(models);
  } catch (error) {
    assert.ok(error instanceof YoiError && error.code === "config_invalid", String(error));
    return error.message.replace(/127\.0\.0\.1:\d+/, "HOST");
  }
  throw new Error("it was no refusal");
}

test("the only model of the server runs, with the window that the server tells, and it is said", async () => {
  const said = ["Model openai-compatible/Qwen/Qwen3, the only one of the server."];
  const found = { at: true, said, asked: 1 };
  const model = { provider: "openai-compatible", id: "Qwen/Qwen3" };
  assert.deepEqual(await find(modelList(["Qwen/Qwen3"])), { ...found, model });
  assert.deepEqual(await find(modelList([{ id: "Qwen/Qwen3", max_model_len: 40960 }])), {
    ...found,
    model: { ...model, context_window: 40960 },
  });
});

test("what the user says of the model or its window wins over what the server tells", async () => {
  const models = modelList([{ id: "m", max_model_len: 40960 }]);
  const definition = '[[models]]\nref = "openai-compatible/m"\ncontext_window = 7000';
  const defined = await find(models, (baseUrl) => ({ flags: { baseUrl }, config: definition }));
  assert.deepEqual(defined.model, { provider: "openai-compatible", id: "m" });
  const reasoning = await find(models, (baseUrl) => ({
    flags: { baseUrl },
    config: '[model]\nreasoning = "low"\nmax_output_tokens = 5000',
  }));
  assert.deepEqual(reasoning.model, {
    provider: "openai-compatible",
    id: "m",
    context_window: 40960,
    max_output_tokens: 5000,
    reasoning: "low",
  });
});

test("a model that is named has the window that the server tells, if it does, and no other server is asked", async () => {
  const kept = (flags: FlagLayer): Manifest => resolve(flags, undefined).manifest;
  const model = "openai-compatible/m";
  const ref = `[model]\nref = "${model}"\n`;
  const served = modelList(["other", { id: "m", max_model_len: 4096 }]);
  const rows: readonly [Answer, (baseUrl: string) => Given, string, number | undefined, number][] = [
    [served, () => ({ flags: {} }), defaultModel, undefined, 0],
    [
      served,
      (baseUrl) => ({ flags: { baseUrl }, config: '[model]\nref = "mine/m"\nbase_url = "http://x.test"' }),
      "mine/m",
      undefined,
      0,
    ],
    [served, (baseUrl) => ({ flags: { baseUrl, model } }), model, 4096, 1],
    [served, (baseUrl) => ({ flags: {}, config: `${ref}base_url = "${baseUrl}"` }), model, 4096, 1],
    [served, (baseUrl) => ({ flags: { baseUrl }, config: `${ref}context_window = 7` }), model, 7, 0],
    [modelList(["other"]), (baseUrl) => ({ flags: { baseUrl, model } }), model, undefined, 1],
    [{ status: 404 }, (baseUrl) => ({ flags: { baseUrl, model } }), model, undefined, 1],
    ["hang_up", (baseUrl) => ({ flags: { baseUrl, model } }), model, undefined, 1],
    [served, (baseUrl) => ({ flags: { baseUrl, model }, kept: kept({ model }) }), model, undefined, 0],
  ];
  for (const [models, given, name, window, asked] of rows) {
    const found = await find(models, given);
    assert.deepEqual(
      [`${found.model.provider}/${found.model.id}`, found.model.context_window, found.asked, found.said],
      [name, window, asked, []],
    );
  }
});

test("a Pod keeps the window of its model, as long as that is the one it was started with", async () => {
  const model = "openai-compatible/m";
  const pod = (baseUrl: string): Manifest => {
    const { manifest } = resolve({ model, baseUrl }, undefined);
    return { ...manifest, model: { ...manifest.model, context_window: 40960 } };
  };
  const window = async (given: (url: string) => Given) =>
    (await find(modelList([]), given)).model.context_window;
  assert.equal(await window((url) => ({ kept: pod(url), flags: { model, baseUrl: url } })), 40960);
  const other = "openai-compatible/n";
  assert.equal(await window((url) => ({ kept: pod(url), flags: { model: other, baseUrl: url } })), undefined);
  const elsewhere = { model, baseUrl: "http://other.test/v1" };
  assert.equal(await window((url) => ({ kept: pod(url), flags: elsewhere })), undefined);
});

test("none, several and a name that cannot be kept are one sentence each", async () => {
  const choose = "choose one with -m openai-compatible/<id>.";
  assert.equal(
    await refusal(modelList([])),
    "The server at HOST has no model yet: load one there, or name it with -m openai-compatible/<id>.",
  );
  assert.equal(await refusal(modelList(["b", "a/c"])), `The server at HOST has 2 models (b, a/c): ${choose}`);
  const many = Array.from({ length: namedModelsMax }, (_, number) => `m${number}`);
  assert.equal(
    await refusal(modelList(many)),
    `The server at HOST has 10 models (${many.join(", ")}): ${choose}`,
  );
  assert.equal(
    await refusal(modelList([...many, "last"])),
    `The server at HOST has 11 models (${many.join(", ")} and 1 more): ${choose}`,
  );
  const long = "x".repeat(modelNameBytesMax);
  assert.equal(
    await refusal(modelList([long, `${long}x`])),
    `The server at HOST has 2 models (${long}, ${long}...): ${choose}`,
  );
  assert.equal(
    await refusal(modelList(["x".repeat(1000)])),
    `The server at HOST names its model ${long}..., which yoi cannot keep: give it another name there.`,
  );
  assert.equal(
    await refusal(modelList(["a\n\u001b[2J"])),
    "The server at HOST names its model a\\u000a\\u001b[2J, which yoi cannot keep: give it another name there.",
  );
});
