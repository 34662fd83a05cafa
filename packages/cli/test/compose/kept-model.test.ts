/** What a Pod keeps of its model and its base URL, and that neither goes on with another provider of the same name. */
import assert from "node:assert/strict";
import test from "node:test";
import { podName } from "@yoi/base";
import { type FlagLayer, type Manifest, parseConfig, resolveManifest } from "@yoi/manifest";
import type { RunFlags } from "../../src/commands/run.ts";
import { checkKeptModel, flagLayer, withKeptMode } from "../../src/compose/kept-model.ts";

const plain: RunFlags = { outputFormat: "text" };
const proxy = "http://proxy.test";

const ref = "anthropic/one";

function resolved(flags: FlagLayer, config = ""): Manifest {
  const { manifest } = resolveManifest({
    layers: { user: parseConfig(config, { path: "/c/config.toml", trust: "user" }) },
    flags,
    workspace: "/w",
    defaultScope: { allow: [], deny: [] },
    defaultModel: ref,
  });
  return manifest;
}

function keptWith(base_url: string | undefined, config?: string): Manifest {
  return resolved({ model: ref, ...(base_url === undefined ? {} : { baseUrl: base_url }) }, config);
}

for (const [flags, kept, expected] of [
  [{}, undefined, { model: "anthropic/one" }],
  [{}, proxy, { model: "anthropic/one", baseUrl: proxy }],
  [{ model: "anthropic/two" }, proxy, { model: "anthropic/two", baseUrl: proxy }],
  [{ model: "scripted/s.yaml" }, proxy, { model: "scripted/s.yaml" }],
  [
    { model: "anthropic/two", baseUrl: "http://other.test" },
    proxy,
    { model: "anthropic/two", baseUrl: "http://other.test" },
  ],
  [{ baseUrl: "http://other.test" }, proxy, { model: "anthropic/one", baseUrl: "http://other.test" }],
] as const) {
  test(`flags ${JSON.stringify(flags)} on a Pod of anthropic/one at ${kept ?? "no base URL"}`, () => {
    assert.deepEqual(flagLayer({ ...plain, ...flags }, keptWith(kept)), expected);
  });
}

const definition = { kind: "anthropic", base_url: "http://corp.test", key_variable: "K1" };

function configOf(fields: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ name: "anthropic", ...fields }).map(
    ([key, value]) => `${key} = "${value}"\n`,
  );
  return `[[providers]]\n${lines.join("")}`;
}

/** Null: it goes on. */
function refusal(flags: Partial<RunFlags>, kept: Manifest, config: string): string | null {
  const all = { ...plain, ...flags };
  try {
    checkKeptModel(podName("p"), all, kept, resolved(flagLayer(all, kept), config));
    return null;
  } catch (error) {
    assert.ok(error instanceof Error && "code" in error && error.code === "config_invalid", String(error));
    return error.message;
  }
}

test("a kept base URL goes on with the provider that it was kept for, and with no other of its name", () => {
  const own = configOf(definition);
  const other = (now: string): string =>
    `The Pod p keeps the base URL ${proxy} for the provider anthropic, which is another one since it was kept (${now}): say with --base-url where its requests and its key go now.`;
  const defined = other("/c/config.toml:1");
  for (const [kept, now, flags, expected] of [
    [own, own, {}, null],
    ["", "", {}, null],
    [own, configOf({ ...definition, label: "Corp" }), {}, null],
    [own, configOf({ ...definition, kind: "openai" }), {}, defined],
    [own, configOf({ ...definition, base_url: "http://new.test" }), {}, defined],
    [own, configOf({ ...definition, key_variable: "K2" }), {}, defined],
    [own, configOf({ ...definition, secret: "providers/corp/default" }), {}, defined],
    [own, configOf({ ...definition, key_variable: "K2" }), { model: "anthropic/two" }, defined],
    ["", own, {}, defined],
    // A flag says where to, or for which provider.
    ["", own, { baseUrl: "http://new.test" }, null],
    ["", own, { model: "openai/x" }, null],
  ] as const)
    assert.equal(refusal(flags, keptWith(proxy, kept), now), expected, `${kept} then ${now}`);
  // Without a kept one the definition says all of it: host and key.
  assert.equal(refusal({}, keptWith(undefined), own), null);
  assert.equal(refusal({}, keptWith(undefined, own), configOf({ ...definition, key_variable: "K2" })), null);
});

test("a provider whose definition is gone is never the built-in one of its name", () => {
  const gone =
    "The Pod p runs with the provider anthropic that /c/config.toml:1 defined, and no such definition is there any more: define it again below [[providers]], or name a model of another provider with --model.";
  const own = configOf(definition);
  for (const base_url of [undefined, proxy])
    for (const flags of [{}, { model: "anthropic/two" }, { baseUrl: "http://new.test" }])
      assert.equal(refusal(flags, keptWith(base_url, own), ""), gone);
  assert.equal(refusal({ model: "openai/x" }, keptWith(proxy, own), ""), null);
});

for (const [what, config, flag, kept, expected] of [
  ["a mode it was hosted with stays over the default", "", undefined, "ask", "ask"],
  ["and so does the strictest", "", undefined, "deny-unlisted", "deny-unlisted"],
  ["a flag says otherwise", "", "allow-in-scope", "ask", "allow-in-scope"],
  ["a configuration that asks stays", '[permissions]\nmode = "ask"\n', undefined, "allow-in-scope", "ask"],
  [
    "a configuration that became strict stays",
    '[permissions]\nmode = "deny-unlisted"\n',
    undefined,
    "ask",
    "deny-unlisted",
  ],
  ["the stricter one stays", '[permissions]\nmode = "ask"\n', undefined, "deny-unlisted", "deny-unlisted"],
  ["a flag loosens the strictest", '[permissions]\nmode = "ask"\n', "ask", "deny-unlisted", "ask"],
  ["a new Pod has none to keep", "", undefined, null, "allow-in-scope"],
] as const) {
  test(`permission mode: ${what}`, () => {
    const flags = flag === undefined ? {} : { permissionMode: flag };
    const before = kept === null ? null : resolved({ permissionMode: kept });
    const now = withKeptMode(resolved(flags, config), { ...plain, ...flags }, before);
    assert.equal(now.permissions.mode, expected);
  });
}
