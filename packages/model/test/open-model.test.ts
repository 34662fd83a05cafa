/** Opening a model: what is found by name, what is refused and how it is said, and the wrapped model against a real server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import {
  findModel,
  findProvider,
  kindOfAdapter,
  models,
  openModel,
  priceAt,
  providers,
  type OpenModelOptions,
  type ProviderEntry,
} from "@yoi/model";
import { apiError, startAnthropicServer } from "../../../test/support/anthropic-server.ts";
import { committed, failureOf, read, requestOf, user } from "./support.ts";

const ports = memoryHost({ seed: 1 });
const base: OpenModelOptions = { provider: "anthropic", id: "claude-opus-5-5", apiKey: "sk-test", ports };
const hello = requestOf([user(1, "hello")]);

test("what cannot be opened is refused in one sentence that names what to set", async () => {
  const rows: readonly [Partial<OpenModelOptions>, string, RegExp][] = [
    [
      { provider: "antropic" },
      "provider_unknown",
      /no provider "antropic": use one of anthropic, openai, google/,
    ],
    [{ provider: "openai-compatible" }, "config_invalid", /no endpoint of its own: .* --base-url/],
    [{ apiKey: " " }, "credentials_missing", /set ANTHROPIC_API_KEY/],
    [{ apiKey: "sk-\u2013copied" }, "config_invalid", /set ANTHROPIC_API_KEY again/],
    [{ id: "" }, "config_invalid", /model id is empty/],
    [{ baseUrl: "api.anthropic.com" }, "config_invalid", /ANTHROPIC_BASE_URL/],
    [{ baseUrl: "ftp://x" }, "config_invalid", /neither https:\/\/ nor http:\/\//],
    [{ baseUrl: "https://user:hunter2@x" }, "config_invalid", /take them out of ANTHROPIC_BASE_URL/],
    [
      { baseUrl: "https://user:hunter2@[x" },
      "config_invalid",
      /base URL is not a URL: set ANTHROPIC_BASE_URL/,
    ],
    [{ baseUrl: "user:hunter2@proxy:8080" }, "config_invalid", /base URL begins with neither/],
    [{ baseUrl: "hunter2://proxy" }, "config_invalid", /base URL begins with neither/],
    [{ baseUrl: "ftp://user:hunter2@proxy" }, "config_invalid", /base URL begins with neither/],
    [{ baseUrl: "https://x/?token=hunter2" }, "config_invalid", /base URL for x has a query/],
    [{ baseUrl: "https://x/#hunter2" }, "config_invalid", /base URL for x has a query/],
    [{ facts: { contextWindow: 0 } }, "config_invalid", /context_window is 0/],
    [{ facts: { outputMax: 1.5 } }, "config_invalid", /max_output_tokens is 1.5/],
    [{ provider: "scripted", id: "demo" }, "config_invalid", /name a scenario file/],
  ];
  for (const [over, code, message] of rows) {
    await assert.rejects(openModel({ ...base, ...over }), (thrown) => {
      assert.ok(thrown instanceof YoiError);
      assert.equal(thrown.code, code);
      assert.match(thrown.message, message);
      assert.match(thrown.message, /^[^\n]+\.$/);
      assert.ok(!thrown.message.includes("hunter2"));
      return true;
    });
  }
});

test("limits come from the options, then the catalog, then a default with a warning", async () => {
  const limits = async (over: Partial<OpenModelOptions>): Promise<unknown> => {
    const { model, warnings } = await openModel({ ...base, ...over });
    return { ...model.limits, warnings: warnings.length };
  };
  const opus = { contextWindow: 1_000_000, outputTokensMax: 128_000, warnings: 0 };
  assert.deepEqual(await limits({}), opus);
  assert.deepEqual(await limits({ facts: { contextWindow: 5000, outputMax: 7 } }), {
    contextWindow: 5000,
    outputTokensMax: 7,
    warnings: 0,
  });
  assert.deepEqual(await limits({ id: "claude-haiku-4-5-20251001" }), {
    contextWindow: 200_000,
    outputTokensMax: 64_000,
    warnings: 0,
  });
  assert.deepEqual(await limits({ id: "org/new" }), {
    contextWindow: 200_000,
    outputTokensMax: 32_000,
    warnings: 1,
  });
  assert.deepEqual(await limits({ id: "org/new", facts: { contextWindow: 9 } }), {
    contextWindow: 9,
    outputTokensMax: 32_000,
    warnings: 0,
  });
});

test("a key that would travel in the clear is warned about, loopback apart", async () => {
  const warned = async (baseUrl: string) => (await openModel({ ...base, baseUrl })).warnings.length;
  assert.equal(await warned("http://proxy.example"), 1);
  for (const url of ["https://proxy.example", "http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1"])
    assert.equal(await warned(url), 0);
});

test("the base URL is the host: /v1 is added once, a path is kept", async () => {
  const paths: [string, string][] = [
    ["", "/v1/messages"],
    ["/", "/v1/messages"],
    ["/v1", "/v1/messages"],
    ["/v1/", "/v1/messages"],
    ["/proxy/anthropic", "/proxy/anthropic/v1/messages"],
  ];
  for (const [path, expected] of paths) {
    const { model } = await openModel({ ...base, baseUrl: `https://proxy.example${path}` });
    assert.equal((await model.lower(hello)).path, expected);
  }
});

test("offline, a request is lowered without a key, to the same bytes", async () => {
  const online = await (await openModel(base)).model.lower(hello);
  const { apiKey: _, ...keyless } = base;
  assert.deepEqual(await (await openModel({ ...keyless, offline: true })).model.lower(hello), online);
});

test("offline, a request of a scripted model is lowered without its scenario, to the same bytes", async () => {
  const scripted = { provider: "scripted", id: "gone.yaml", ports };
  const scenario = { name: "gone.yaml", text: "steps: [{ text: hi }]" };
  const { model } = await openModel({ ...scripted, offline: true });
  const { model: played } = await openModel({ ...scripted, scenario });
  assert.deepEqual(await model.lower(hello), await played.lower(hello));
  const { provider, id, adapter, lowering } = played;
  assert.deepEqual(
    { provider: model.provider, id: model.id, adapter: model.adapter, lowering: model.lowering },
    { provider, id, adapter, lowering },
  );
  assert.match(failureOf(await read(model, hello)).message, /has 0 steps/);
});

test("the opened model retries the same bytes, and a stall becomes a timeout", async () => {
  const host = memoryHost({ seed: 3 });
  const server = await startAnthropicServer({
    answers: [
      apiError(529, "overloaded_error", "Overloaded"),
      { blocks: [{ type: "text", text: "ok" }] },
      { blocks: [{ type: "text", text: "long enough for two" }], fault: { type: "stall", after: 3 } },
    ],
  });
  const { model } = await openModel({ ...base, baseUrl: server.url, ports: host });
  try {
    const whenRetrying = (): void => void setImmediate(() => host.advance(1000));
    const answer = await read(model, hello, { onEvent: ({ type }) => type === "retry" && whenRetrying() });
    assert.deepEqual(committed(answer), [{ block: "text", text: "ok" }]);
    assert.equal(answer.retries.length, 1);
    assert.deepEqual(server.requests[0]?.raw, server.requests[1]?.raw);
    assert.deepEqual(answer.wires[0], answer.wires[1]);
    const stalled = await read(model, hello, {
      onEvent: ({ type }) => void (type === "block_delta" && setImmediate(() => host.advance(90_000))),
    });
    assert.equal(failureOf(stalled).kind, "timeout");
    assert.equal(stalled.blocks[0]?.streamed, "long enough for ");
    assert.equal(await server.requests[2]?.closedEarly, true);
  } finally {
    await model.close?.();
    await server.close();
  }
});

test("a scripted model is opened by its scenario", async () => {
  const scenario = { name: "hello.yaml", text: "steps:\n  - text: hi\n" };
  const { model } = await openModel({ provider: "scripted", id: "hello.yaml", scenario, ports });
  assert.equal(model.provider, "scripted");
  assert.deepEqual(committed(await read(model, hello)), [{ block: "text", text: "hi" }]);
});

test("the catalog holds each name once, every model's provider, and prices that fit together", () => {
  assert.deepEqual(
    providers.map(({ name }) => name),
    ["anthropic", "openai", "google", "openrouter", "openai-compatible", "scripted"],
  );
  assert.equal(new Set(models.map(({ provider, id }) => `${provider}/${id}`)).size, models.length);
  for (const model of models) {
    assert.ok(findProvider(model.provider) !== null);
    assert.equal(findModel(model.provider, model.id), model);
    assert.ok(model.outputMax < model.contextWindow);
    for (const price of [model.price, model.nextPrice?.price ?? null]) {
      if (price === null) continue;
      for (const rate of [price, ...(price.long === undefined ? [] : [price.long])])
        assert.ok(rate.input > 0 && rate.output > rate.input && rate.cache_read < rate.input, model.id);
      assert.ok(price.long === undefined || price.long.input > price.input, model.id);
    }
  }
  assert.equal(findModel("anthropic", "claude-opus-5-5-next"), null);
});

test("a dated id is the model without its date", () => {
  assert.equal(findModel("anthropic", "claude-haiku-4-5-20251001")?.id, "claude-haiku-4-5");
  assert.equal(findModel("openai", "gpt-5.2-2025-12-11")?.id, "gpt-5.2");
  assert.equal(findModel("openai", "gpt-5.2-2025-12"), null);
});

test("an announced price counts from its day on", () => {
  const flash = findModel("google", "gemini-3.8-flash");
  assert.ok(flash !== null);
  const day = Date.UTC(2027, 0, 1);
  assert.deepEqual(
    [day - 1, day].map((now) => priceAt(flash, now)?.input),
    [0.75, 1.5],
  );
});

test("a model that stays open is priced at the price of the moment", async () => {
  const day = Date.UTC(2027, 0, 1);
  let now = day - 1;
  const ports = { ...base.ports, clock: { now: () => now, monotonic: () => 0 } };
  const { model } = await openModel({ ...base, provider: "google", id: "gemini-3.8-flash", ports });
  assert.equal(model.price()?.input, 0.75);
  now = day;
  assert.equal(model.price()?.input, 1.5);
});

test("price and capabilities come from the user, then the catalog, and are unknown otherwise", async () => {
  const seen = async (over: Partial<OpenModelOptions>): Promise<unknown> => {
    const { model } = await openModel({ ...base, ...over });
    return [model.price()?.input ?? null, model.capabilities];
  };
  const price = { input: 1, output: 2, cache_read: 0, cache_write: 1 };
  assert.deepEqual(await seen({}), [4, { images: true, midSystem: false }]);
  assert.deepEqual(await seen({ id: "new" }), [null, { images: false, midSystem: false }]);
  assert.deepEqual(await seen({ facts: { price, images: false, midSystem: true } }), [
    1,
    { images: false, midSystem: true },
  ]);
});

test("the user's own provider of a built-in name keeps nothing of it, its models only where it is of that kind", async () => {
  const entry: ProviderEntry = {
    name: "anthropic",
    label: "The proxy",
    kind: "anthropic",
    keyVariables: ["PROXY_KEY"],
    secret: "proxy/key",
    key: "required",
    baseUrlVariable: null,
    baseUrl: "https://proxy.example/claude",
  };
  const { model, warnings } = await openModel({ ...base, entry });
  assert.deepEqual([model.provider, model.price()?.input, warnings], ["anthropic", 4, []]);
  assert.equal((await model.lower(hello)).path, "/claude/v1/messages");
  const other = await openModel({ ...base, entry: { ...entry, kind: "openai-compatible" } });
  assert.deepEqual([other.model.price(), other.warnings.length], [null, 1]);
  const { apiKey: _, ...keyless } = base;
  await assert.rejects(openModel({ ...keyless, entry }), {
    code: "credentials_missing",
    message: "There is no key for The proxy: set PROXY_KEY, or store it with `yoi secret set proxy/key`.",
  });
  const free = await openModel({ ...keyless, entry: { ...entry, key: "none" } });
  assert.equal(free.model.id, base.id);
});

test("offline, the kind of a provider is enough: its endpoint and its key are not asked for", async () => {
  for (const kind of ["anthropic", "openai", "google", "openai-compatible"] as const) {
    const nothing = { keyVariables: [], secret: null, baseUrlVariable: null, baseUrl: null };
    const entry: ProviderEntry = { name: "gone", label: "gone", kind, key: "none", ...nothing };
    const here = await openModel({ provider: "gone", id: "m", entry, offline: true, ports });
    const there = { ...entry, baseUrl: "https://llm.corp/deep/er/v1", key: "required" as const };
    const sent = await openModel({ provider: "gone", id: "m", entry: there, apiKey: "k", ports });
    const [mine, theirs] = [await here.model.lower(hello), await sent.model.lower(hello)];
    assert.deepEqual({ ...mine, path: theirs.path }, theirs, kind);
    assert.ok(theirs.path.endsWith(mine.path), `${theirs.path} ${mine.path}`);
    assert.equal(here.model.provider, "gone");
    assert.equal(kindOfAdapter(here.model.adapter.name), kind);
  }
  assert.equal(kindOfAdapter("@ai-sdk/other"), null);
});
