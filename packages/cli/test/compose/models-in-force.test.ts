/** Providers and models in force: what the user's own file adds, what it puts in the place of a built-in one, and what it leaves. */
import assert from "node:assert/strict";
import test from "node:test";
import type { ModelChoice, ModelDefinition, ProviderDefinition } from "@yoi/manifest";
import { models, providers } from "@yoi/model";
import { factsOf, modelsInForce } from "../../src/compose/models-in-force.ts";
import { entryOf, providersInForce } from "../../src/compose/providers.ts";

const corp: ProviderDefinition = {
  name: "corp",
  kind: "openai-compatible",
  base_url: "https://llm.corp/v1",
  label: "Corp",
  key_variable: null,
  secret: "corp/key",
  origin: "/c:1",
};
const price = { input: 1, output: 2, cache_read: 0.1, cache_write: 1 };

test("a definition is an entry of its own, with no key, variable or address of a built-in one", () => {
  assert.deepEqual(entryOf({ ...corp, name: "anthropic" }), {
    name: "anthropic",
    label: "Corp",
    kind: "openai-compatible",
    keyVariables: [],
    secret: "corp/key",
    key: "required",
    baseUrlVariable: null,
    baseUrl: "https://llm.corp/v1",
  });
  assert.equal(entryOf({ ...corp, secret: null }).key, "none");
  const names = providersInForce([corp, { ...corp, name: "google" }]).map(({ entry, origin }) => [
    entry.name,
    origin,
  ]);
  assert.deepEqual(names, [
    ...providers.map(({ name }) => [name, name === "google" ? "/c:1" : null]),
    ["corp", "/c:1"],
  ]);
});

const listed = (
  own: readonly ProviderDefinition[],
  definitions: readonly ModelDefinition[],
  chosen: ModelChoice,
) => modelsInForce({ providers: providersInForce(own), definitions, chosen, nowMs: 0 });
const sonnet: ModelChoice = { provider: "anthropic", id: "claude-sonnet-5-5" };

test("the user's word stands part by part, and the catalog fills the rest", () => {
  const definition: ModelDefinition = {
    ref: "anthropic/claude-opus-5-5",
    images: false,
    price,
    origin: "/c:9",
  };
  const all = listed([corp], [definition, { ref: "corp/m", context_window: 10, origin: "/c:12" }], sonnet);
  assert.equal(all.length, models.length + 1);
  const opus = all.find(({ ref }) => ref === definition.ref);
  assert.deepEqual(opus, {
    ref: "anthropic/claude-opus-5-5",
    provider: "anthropic",
    origin: "/c:9",
    isDefault: false,
    limits: { contextWindow: 1_000_000, outputTokensMax: 128_000 },
    capabilities: { images: false, midSystem: false },
    price,
    windowKnown: true,
  });
  assert.deepEqual(
    all.filter(({ isDefault }) => isDefault).map(({ ref }) => ref),
    ["anthropic/claude-sonnet-5-5"],
  );
  const own = all.at(-1);
  assert.deepEqual(
    [own?.ref, own?.limits, own?.price],
    ["corp/m", { contextWindow: 10, outputTokensMax: null }, null],
  );
});

test("a provider of a built-in name but another kind has none of its models", () => {
  const all = listed([{ ...corp, name: "google" }], [], sonnet);
  assert.deepEqual(
    all.filter(({ provider }) => provider === "google"),
    [],
  );
});

test("a chosen model that nobody knows is listed with a guess; the keys of [model] win over its definition", () => {
  const [only] = listed([], [], { provider: "openai-compatible", id: "x", context_window: 5 }).slice(-1);
  assert.deepEqual(
    [only?.ref, only?.isDefault, only?.limits.contextWindow],
    ["openai-compatible/x", true, 5],
  );
  const definition = {
    ref: "corp/m",
    context_window: 10,
    max_output_tokens: 3,
    mid_system: true,
    origin: "/c:1",
  };
  assert.deepEqual(factsOf({ provider: "corp", id: "m", context_window: 20, definition }), {
    contextWindow: 20,
    outputMax: 3,
    midSystem: true,
  });
});
