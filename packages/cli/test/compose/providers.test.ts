/** Which base URL counts and who set it, and that none may hold a known key. */
import assert from "node:assert/strict";
import test from "node:test";
import { createKnownSecrets } from "@yoi/keep";
import { parseConfig, resolveManifest } from "@yoi/manifest";
import {
  baseUrlInForce,
  checkBaseUrl,
  configuredBaseUrl,
  providersInForce,
} from "../../src/compose/providers.ts";
import type { Environment } from "../../src/environment.ts";

function environment(variables: Environment["variables"]): Pick<Environment, "variables"> {
  return { variables };
}

const own =
  '[[providers]]\nname = "corp"\nkind = "openai"\nbase_url = "https://corp.test/v1"\nkey = "none"\n';

/** With the provider of the model that the configuration chooses. */
function inForce(config: string, variables: Environment["variables"], baseUrl?: string) {
  const user = parseConfig(config, { path: "/c/config.toml", trust: "user" });
  const resolved = resolveManifest({
    layers: { user },
    flags: baseUrl === undefined ? {} : { baseUrl, model: "anthropic/claude" },
    workspace: "/w",
    defaultScope: { allow: [], deny: [] },
    defaultModel: "anthropic/claude",
  });
  const { provider } = resolved.manifest.model;
  const found = providersInForce(user.providers).find(({ entry }) => entry.name === provider);
  assert.ok(found !== undefined);
  return baseUrlInForce(found, configuredBaseUrl(resolved), environment(variables));
}

test("the base URL in force is the flag's, else the file's, else the variable's, else the provider's own, and names who set it", () => {
  const variables = { ANTHROPIC_BASE_URL: "http://variable.test" };
  const file = '[model]\nref = "anthropic/x"\nbase_url = "http://file.test"\n';
  const rows = [
    [inForce(file, variables, "http://flag.test"), "http://flag.test", "--base-url"],
    [inForce(file, variables), "http://file.test", "base_url in /c/config.toml:3"],
    [inForce("", variables), "http://variable.test", "ANTHROPIC_BASE_URL"],
    [inForce("", { ANTHROPIC_BASE_URL: "" }), "https://api.anthropic.com", "ANTHROPIC_BASE_URL"],
    [
      inForce(`[model]\nref = "corp/m"\n${own}`, variables),
      "https://corp.test/v1",
      "base_url in /c/config.toml:3",
    ],
  ] as const;
  for (const [found, url, setBy] of rows) assert.deepEqual(found, { url, setBy });
  assert.equal(inForce('[model]\nref = "openai-compatible/m"', variables), null);
});

test("a base URL with a known key in it is refused, in every form of the key, and without the key in the sentence", () => {
  const value = "base-url-canary/+7Q9w2Xc4Vb";
  const known = createKnownSecrets();
  known.learn({ id: "BASE_URL_TEST", value });
  for (const form of [value, encodeURIComponent(value), Buffer.from(`x${value}`).toString("base64url")])
    assert.throws(() => checkBaseUrl({ url: `https://h.test/v1/${form}`, setBy: "--base-url" }, known), {
      code: "config_invalid",
      message:
        "The base URL holds the key BASE_URL_TEST, and would be kept with the Pod: take it out of --base-url; a key is sent in a header of its own.",
    });
  checkBaseUrl({ url: "https://h.test/v1/base-url", setBy: "--base-url" }, known);
});
