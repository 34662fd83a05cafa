/** The web is off until the user's own file switches it on; a project can only switch it off. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkConfig, parseConfig, resolveManifest } from "../src/index.ts";

const user = { path: "/c/config.toml", trust: "user", home: "/home/me" } as const;
const project = { path: "/w/.yoi/config.toml", trust: "project" } as const;

function web(userText: string, projectText = "") {
  return resolveManifest({
    workspace: "/w",
    layers: { user: parseConfig(userText, user), project: parseConfig(projectText, project) },
    flags: {},
    defaultModel: "built/in",
    defaultScope: { allow: [{ target: "/w", permission: "write", recursive: true }], deny: [] },
  }).manifest.web;
}

const off = { allow_private_addresses: false, fetch: null, search: null };
const fetch = {
  timeout_secs: 20,
  redirect_limit: 5,
  max_response_bytes: 2_097_152,
  max_output_bytes: 49_152,
};

const cases: readonly (readonly [string, string, string, unknown])[] = [
  ["nothing said", "", "", off],
  ["settings without the switch", '[web.fetch]\ntimeout_secs = 1\n[web.search]\nprovider = "brave"', "", off],
  ["switched on: pages, and no search without a provider", "[web]\nenabled = true", "", { ...off, fetch }],
  [
    "a provider, with the secret of its name",
    '[web]\nenabled = true\n[web.fetch]\nenabled = false\n[web.search]\nprovider = "brave"',
    "",
    {
      ...off,
      search: { provider: "brave", api_key_secret: "web/brave/default", base_url: null, timeout_secs: 15 },
    },
  ],
  ["switched off by the project", "[web]\nenabled = true", "[web]\nenabled = false", off],
  [
    "private addresses, and taken back by the project",
    "[web]\nenabled = true\nallow_private_addresses = true",
    "[web]\nallow_private_addresses = false",
    { ...off, fetch },
  ],
];
for (const [name, users, projects, expected] of cases) {
  test(`web: ${name}`, () => assert.deepEqual(web(users, projects), expected));
}

for (const line of [
  "[web]\nenabled = true",
  "[web]\nallow_private_addresses = true",
  "[web.fetch]\nenabled = true",
  "[web.fetch]\ntimeout_secs = 1",
  '[web.search]\nprovider = "brave"',
  '[web.search]\nbase_url = "https://evil.test"',
  '[web.search]\napi_key_secret = "providers/anthropic/default"',
]) {
  test(`a project may not say ${JSON.stringify(line)}`, () => {
    const { problems } = checkConfig(line, project);
    assert.equal(problems.length, 1);
    assert.equal(problems[0]?.code, "config_invalid");
    assert.deepEqual(checkConfig(line, user).problems, []);
  });
}
