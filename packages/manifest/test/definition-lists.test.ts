/** The user's own providers and models: what they may say, every fault with its line, and that a workspace may say nothing of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  checkConfig,
  type ConfigSource,
  labelCharsMax,
  manifestToJson,
  parseConfig,
  parseManifest,
  priceMax,
  providerNameCharsMax,
  resolveManifest,
} from "../src/index.ts";

const user: ConfigSource = { path: "/c/config.toml", trust: "user" };
const project: ConfigSource = { path: "/w/.yoi/config.toml", trust: "project" };
const path = user.path;

const provider = (fields: object) => element("providers", fields);
const model = (fields: object) => element("models", fields);

/** An element with a line for each field. */
function element(list: string, fields: object): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return [`[[${list}]]`, ...lines, ""].join("\n");
}

const corp = { name: "corp", kind: "openai-compatible", base_url: "https://llm.corp/v1", secret: "corp/key" };

test("providers and models are read, with what is left out as a value", () => {
  const text =
    provider({ ...corp, label: "The house's own", key_variable: "CORP_KEY" }) +
    provider({
      name: "local",
      kind: "openai-compatible",
      base_url: "http://127.0.0.1:11434/v1",
      key: "none",
    }) +
    model({
      ref: "corp/org/big",
      context_window: 128_000,
      max_output_tokens: 8192,
      images: true,
      mid_system: false,
      input_price: 0.5,
      output_price: 2,
      cache_read_price: 0.05,
      cache_write_price: 0.625,
    }) +
    model({ ref: "local/small", input_price: 0, output_price: 0 }) +
    model({ ref: "anthropic/claude-next", context_window: 2_000_000 });
  const { providers, models, origins } = parseConfig(text, user);
  assert.deepEqual(providers, [
    {
      name: "corp",
      kind: "openai-compatible",
      base_url: "https://llm.corp/v1",
      label: "The house's own",
      key_variable: "CORP_KEY",
      secret: "corp/key",
      origin: `${path}:1`,
    },
    {
      name: "local",
      kind: "openai-compatible",
      base_url: "http://127.0.0.1:11434/v1",
      label: "local",
      key_variable: null,
      secret: null,
      origin: `${path}:8`,
    },
  ]);
  assert.deepEqual(models, [
    {
      ref: "corp/org/big",
      context_window: 128_000,
      max_output_tokens: 8192,
      images: true,
      mid_system: false,
      price: { input: 0.5, output: 2, cache_read: 0.05, cache_write: 0.625 },
      origin: `${path}:13`,
    },
    {
      ref: "local/small",
      price: { input: 0, output: 0, cache_read: 0, cache_write: 0 },
      origin: `${path}:23`,
    },
    { ref: "anthropic/claude-next", context_window: 2_000_000, origin: `${path}:27` },
  ]);
  assert.equal(origins.get("providers"), `${path}:1`);
});

test("cached tokens without a rate of their own cost what others do", () => {
  const [one] = parseConfig(model({ ref: "a/b", input_price: 3, output_price: 4 }), user).models;
  assert.deepEqual(one?.price, { input: 3, output: 4, cache_read: 3, cache_write: 3 });
});

test("every fault is said with line, key and what is allowed", () => {
  const without = (key: string) => provider({ ...corp, [key]: undefined }).replace(/^.* = undefined\n/m, "");
  const needsKey = `needs key_variable, secret or key = "none": it says itself where its key comes from.`;
  const cases: readonly (readonly [text: string, problem: string])[] = [
    ["providers = 1", "1: providers must be a list of tables, but is 1."],
    ['[providers]\nname = "a"', "1: providers must be a list of tables, but is a table."],
    [provider({ ...corp, nmae: "x" }), "6: providers[0].nmae is not a key: did you mean providers[0].name."],
    [without("name"), "1: providers[0] needs name: a name of lower-case"],
    [provider({ ...corp, name: "Corp" }), "2: providers[0].name must be a name of lower-case letters"],
    [provider({ ...corp, name: "a".repeat(providerNameCharsMax + 1) }), "2: providers[0].name must be"],
    [provider({ ...corp, name: "scripted" }), "2: providers[0].name must be a name"],
    [without("kind"), "1: providers[0] needs kind: one of "],
    [
      provider({ ...corp, kind: "ollama" }),
      '3: providers[0].kind must be one of "anthropic", "openai", "google", "openai-compatible", but is "ollama".',
    ],
    [without("base_url"), "1: providers[0] needs base_url: an http or https URL"],
    [
      provider({ ...corp, base_url: "https://me:hunter2@x" }),
      "4: providers[0].base_url must be an http or https URL without user, password, query or fragment, but is an unusable URL.",
    ],
    [provider({ ...corp, label: "" }), "6: providers[0].label must be 1 to 60 characters"],
    [provider({ ...corp, label: "a".repeat(labelCharsMax + 1) }), "6: providers[0].label must be 1 to 60"],
    [provider({ ...corp, label: "a\u0007b" }), "6: providers[0].label must be"],
    [provider({ ...corp, key_variable: "A B" }), "6: providers[0].key_variable must be the name of an"],
    [provider({ ...corp, secret: "../x" }), "5: providers[0].secret must be the id of a secret"],
    [provider({ ...corp, secret: "a//b" }), "5: providers[0].secret must be the id of a secret"],
    [provider({ ...corp, secret: "a/.." }), "5: providers[0].secret must be the id of a secret"],
    [provider({ ...corp, key: "sk-hunter" }), '6: providers[0].key must be "none"; an API key belongs'],
    [provider({ ...corp, key: "none" }), '1: providers[0] may not have key = "none" beside key_variable or'],
    [without("secret"), `1: providers[0] ${needsKey}`],
    // The name of a built-in provider brings no key of its own with it.
    [
      provider({ name: "anthropic", kind: "anthropic", base_url: "https://proxy.example" }),
      `1: providers[0] ${needsKey}`,
    ],
    [
      provider(corp) + provider(corp),
      '7: providers[1].name is "corp" like that of an element above: keep one of them.',
    ],
    [model({}), '1: models[0] needs ref: a model as "provider/id".'],
    [model({ ref: "corp" }), '2: models[0].ref must be a model as "provider/id", but is "corp".'],
    [
      model({ ref: "a/b", context_window: 0 }),
      "3: models[0].context_window must be a whole number of tokens, at least 1, but is 0.",
    ],
    [model({ ref: "a/b", max_output_tokens: 1.5 }), "3: models[0].max_output_tokens must be a whole"],
    [model({ ref: "a/b", images: "yes" }), '3: models[0].images must be true or false, but is "yes".'],
    [model({ ref: "a/b", mid_system: 1 }), "3: models[0].mid_system must be true or false, but is 1."],
    [
      model({ ref: "a/b", input_price: -1, output_price: 1 }),
      "3: models[0].input_price must be US dollars per million tokens, from 0 to 1000000, but is -1.",
    ],
    [
      model({ ref: "a/b", input_price: 1, output_price: priceMax + 1 }),
      "4: models[0].output_price must be US dollars",
    ],
    ['[[models]]\nref = "a/b"\ninput_price = nan\noutput_price = 1', "3: models[0].input_price must be"],
    [
      model({ ref: "a/b", input_price: 1 }),
      "1: models[0] needs both input_price and output_price, or no price.",
    ],
    [model({ ref: "a/b", cache_read_price: 1 }), "1: models[0] needs both input_price and output_price"],
    [
      model({ ref: "a/b" }) + model({ ref: "a/b" }),
      '4: models[1].ref is "a/b" like that of an element above',
    ],
  ];
  for (const [text, expected] of cases) {
    const messages = checkConfig(text, user).problems.map(({ message }) => message);
    assert.equal(messages.length, 1, `${text}\n${messages.join("\n")}`);
    assert.ok(messages[0]?.startsWith(`${path}:${expected}`), `${messages[0]}\n${expected}`);
    assert.ok(!messages.join().includes("hunter2"));
  }
});

test("the limits of a name, a label and a price hold at n", () => {
  const text =
    provider({ ...corp, name: "a".repeat(providerNameCharsMax), label: "é".repeat(labelCharsMax) }) +
    model({ ref: "a/b", input_price: priceMax, output_price: 0 });
  assert.deepEqual(checkConfig(text, user).problems, []);
});

test("a file that comes with a workspace defines neither: its provider would be sent your keys", () => {
  const refused =
    "in a file that comes with a workspace, which can only narrow what you allow: put it into your own config.toml if you want it.";
  const messages = (text: string) => checkConfig(text, project).problems.map(({ message }) => message);
  assert.deepEqual(messages(`# a line\n${provider(corp)}`), [
    `/w/.yoi/config.toml:2: providers may not be set ${refused}`,
  ]);
  assert.deepEqual(messages(model({ ref: "anthropic/x", context_window: 5 })), [
    `/w/.yoi/config.toml:1: models may not be set, as it says what your models can do and what they cost ${refused}`,
  ]);
  assert.equal(messages("providers = []\nmodels = []").length, 2);
});

const resolved = (text: string, ref: string) =>
  resolveManifest({
    layers: { user: parseConfig(text, user) },
    flags: { model: ref },
    workspace: "/w",
    defaultScope: { allow: [], deny: [] },
  });

test("the manifest carries the definitions of its own model, and comes back from its JSON with them", () => {
  const text =
    provider(corp) +
    provider({ ...corp, name: "other" }) +
    model({ ref: "corp/a", context_window: 10, images: true, input_price: 1, output_price: 2 }) +
    model({ ref: "corp/b", context_window: 20 });
  const { manifest, sources } = resolved(text, "corp/a");
  const [definedProvider] = parseConfig(text, user).providers;
  const [definedModel] = parseConfig(text, user).models;
  assert.deepEqual(manifest.model, {
    provider: "corp",
    id: "a",
    provider_definition: definedProvider,
    definition: definedModel,
  });
  assert.deepEqual(parseManifest(JSON.parse(JSON.stringify(manifestToJson(manifest))), "/m"), manifest);
  assert.deepEqual(
    sources.filter(({ key }) => /^(providers|models)\[/.test(key)).map(({ key, origin }) => [key, origin]),
    [
      ["providers[0]", `${path}:1`],
      ["providers[1]", `${path}:6`],
      ["models[0]", `${path}:11`],
      ["models[1]", `${path}:17`],
    ],
  );
  assert.deepEqual(resolved(text, "corp/c").manifest.model.definition, undefined);
  assert.deepEqual(resolved(text, "anthropic/a").manifest.model, { provider: "anthropic", id: "a" });
});

test("a credential in the wrong field is never shown, and where it belongs is said", () => {
  const key = "sk-proj-CANARY1234567890";
  const belongs =
    "an API key belongs into no file: keep it with `yoi secret set ID`, or in an environment variable.";
  const cases: readonly (readonly [text: string, problem: string])[] = [
    [provider({ ...corp, key }), `6: providers[0].key must be "none"; ${belongs}`],
    [
      provider({ ...corp, key_variable: key }),
      `6: providers[0].key_variable must be the name of an environment variable; ${belongs}`,
    ],
    // Both would pass as names.
    [
      provider({ ...corp, key_variable: "AIzaSyCANARY1234567890" }),
      `6: providers[0].key_variable must be the name of an environment variable; ${belongs}`,
    ],
    [
      provider({ ...corp, secret: key }),
      `5: providers[0].secret must be the id of a secret, such as providers/corp/default; ${belongs}`,
    ],
    [
      provider({ ...corp, api_key: key }),
      `6: providers[0].api_key is not a key of the configuration; ${belongs}`,
    ],
    [`[model]\napi_key = "${key}"`, `2: model.api_key is not a key of the configuration; ${belongs}`],
    [
      `[model]\nref = "${key}"`,
      '2: model.ref must be a model as "provider/id", but is what looks like an API key.',
    ],
    [
      `[web.search]\napi_key_secret = "${key}"`,
      `2: web.search.api_key_secret must be the id of a secret, as in \`yoi secret set ID\`; ${belongs}`,
    ],
  ];
  for (const [text, problem] of cases) {
    const { layer, problems } = checkConfig(text, user);
    const said = problems.map(({ message }) => message.replace("/c/config.toml:", ""));
    assert.deepEqual([layer, said], [null, [problem]]);
  }
});
