/** Which model is chosen, and which endpoint and window go with it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FlagLayer } from "../src/index.ts";
import { resolve, type Texts } from "./resolve-texts.ts";

test("an endpoint goes with the provider that it was set for, a window with its model", () => {
  const user = 'model.ref = "mine/a"\nmodel.base_url = "http://localhost:1"\nmodel.context_window = 10';
  const cases: readonly (readonly [texts: Texts, flags: FlagLayer, model: unknown])[] = [
    [{ user }, {}, { provider: "mine", id: "a", base_url: "http://localhost:1", context_window: 10 }],
    // A workspace that picks another provider does not send that provider's key to the user's endpoint.
    [{ user, project: 'model.ref = "anthropic/x"' }, {}, { provider: "anthropic", id: "x" }],
    [
      { user, local: 'model.ref = "mine/b"' },
      {},
      { provider: "mine", id: "b", base_url: "http://localhost:1" },
    ],
    [
      { user, project: 'model.ref = "anthropic/x"', local: 'model.ref = "mine/a"' },
      {},
      { provider: "mine", id: "a" },
    ],
    [{ user }, { model: "anthropic/x" }, { provider: "anthropic", id: "x" }],
    [
      { user },
      { model: "mine/a" },
      { provider: "mine", id: "a", base_url: "http://localhost:1", context_window: 10 },
    ],
    [
      { user },
      { model: "anthropic/x", baseUrl: "http://localhost:2" },
      { provider: "anthropic", id: "x", base_url: "http://localhost:2" },
    ],
    [
      { user, project: "model.context_window = 7\nmodel.temperature = 0.5" },
      {},
      { provider: "mine", id: "a", base_url: "http://localhost:1", context_window: 7, temperature: 0.5 },
    ],
  ];
  for (const [texts, flags, model] of cases) assert.deepEqual(resolve(texts, flags).manifest.model, model);
});

test("a base URL on the command line without a model is for a server of the user's own, or the provider of the user's own endpoint", () => {
  const baseUrl = "http://server.test/v1";
  const said = (origin: string, ref: string, provider: string): string =>
    `${origin}: model.ref = "${ref}" does not count beside --base-url, which is for ${provider} when no model is named: pass --model ${ref} as well if that is meant.`;
  const own = 'model.ref = "mine/a"\nmodel.base_url = "http://localhost:1"';
  const cases: readonly (readonly [
    texts: Texts,
    ref: string,
    origin: string,
    warnings: readonly string[],
  ])[] = [
    // Nobody names a model of the server: it is asked for its own.
    [{}, "anthropic/claude-default", "built-in", []],
    [
      { user: 'model.ref = "openai/gpt"\nmodel.context_window = 5' },
      "anthropic/claude-default",
      "built-in",
      [said("/c/config.toml:1", "openai/gpt", "openai-compatible")],
    ],
    [
      { project: 'model.ref = "openai/gpt"' },
      "anthropic/claude-default",
      "built-in",
      [said("/w/.yoi/config.toml:1", "openai/gpt", "openai-compatible")],
    ],
    [{ project: 'model.ref = "openai-compatible/m"' }, "openai-compatible/m", "/w/.yoi/config.toml:1", []],
    [{ user: own }, "mine/a", "/c/config.toml:1", []],
    [{ user: own, project: 'model.ref = "mine/b"' }, "mine/b", "/w/.yoi/config.toml:1", []],
    // Not even to the server that needs no key, once the user's own file says whose the endpoint is.
    [
      { user: own, project: 'model.ref = "openai-compatible/m"', local: 'model.ref = "openai/gpt"' },
      "mine/a",
      "/c/config.toml:1",
      [
        said("/w/.yoi/config.toml:1", "openai-compatible/m", "mine"),
        said("/w/.yoi/config.local.toml:1", "openai/gpt", "mine"),
      ],
    ],
  ];
  for (const [texts, ref, origin, warnings] of cases) {
    const resolved = resolve(texts, { baseUrl }, "anthropic/claude-default");
    const { provider, id, base_url, context_window } = resolved.manifest.model;
    const found = resolved.sources.find(({ key }) => key === "model.ref");
    assert.deepEqual(
      [`${provider}/${id}`, base_url, context_window, found?.origin, resolved.warnings],
      [ref, baseUrl, undefined, origin, warnings],
    );
  }
  const both = resolve({ project: 'model.ref = "openai/gpt"' }, { baseUrl, model: "anthropic/x" });
  assert.deepEqual(
    [both.manifest.model, both.warnings],
    [{ provider: "anthropic", id: "x", base_url: baseUrl }, []],
  );
});
