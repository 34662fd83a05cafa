/** Providers and models of the user's own file: their keys and nobody else's, their prices, and a Pod of one that is verified without it. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { ProviderServer } from "../support/provider-server.ts";
import { providerRows, startServerOf } from "../support/providers.ts";
import { tempHome } from "../support/temp-home.ts";
import { runYoi } from "../support/yoi-process.ts";

const answer = {
  blocks: [{ type: "text", text: "Here." }],
  usage: { input: 1000, output: 100, cacheRead: 0, cacheWrite: 0 },
} as const;
const keys = { ANTHROPIC_API_KEY: "sk-ant-not-for-corp", OPENAI_API_KEY: "sk-not-for-corp" };

interface Setting {
  readonly config: string;
  readonly env: Readonly<Record<string, string>>;
  readonly yoi: (
    args: readonly string[],
    more?: Readonly<Record<string, string>>,
  ) => ReturnType<typeof runYoi>;
}

/** A machine whose config.toml is made for a server that speaks as `row` does. */
async function withServer(
  row: (typeof providerRows)[keyof typeof providerRows],
  config: (url: string) => string,
  body: (setting: Setting, server: ProviderServer) => Promise<void>,
): Promise<void> {
  using home = tempHome();
  const server = await startServerOf(row, { answers: [answer, answer] });
  const path = join(home.home, "config", "config.toml");
  mkdirSync(join(home.home, "config"));
  writeFileSync(path, config(server.url));
  const env = { ...home.env, ...keys };
  const yoi: Setting["yoi"] = (args, more = {}) =>
    runYoi(args, { cwd: home.workspace, env: { ...env, ...more } });
  try {
    await body({ config: path, env, yoi }, server);
  } finally {
    await server.close();
  }
}

const corp = (url: string, kind: string, name = "corp") =>
  `[[providers]]\nname = "${name}"\nkind = "${kind}"\nbase_url = "${url}"\nkey_variable = "CORP_KEY"\n`;

test("a run with a configured provider sends its key, counts its money, and is verified where nobody knows it", async () => {
  const config = (url: string) =>
    `${corp(url, "openai-compatible")}[[models]]\nref = "corp/house/m"\ncontext_window = 64000\ninput_price = 2\noutput_price = 10\n`;
  await withServer(providerRows.openAiCompatible, config, async ({ config: path, yoi }, server) => {
    const run = await yoi(
      ["run", "--pod", "p", "-m", "corp/house/m", "--output-format", "json", "--sandbox", "off", "hello"],
      { CORP_KEY: "corp-key-1" },
    );
    assert.equal(run.code, 0, run.stderr);
    const result = JSON.parse(run.stdout);
    assert.deepEqual(
      [result.total_cost_usd, result.cost],
      [0.003, { known_usd: 0.003, unpriced_requests: 0 }],
    );
    assert.deepEqual(
      server.requests.map(({ headers }) => headers.authorization),
      ["Bearer corp-key-1"],
    );
    rmSync(path);
    const shown = JSON.parse((await yoi(["pod", "show", "p", "--json"])).stdout);
    assert.deepEqual([shown.model, shown.total_cost_usd], ["corp/house/m", 0.003]);
    assert.equal(shown.manifest.model.provider_definition.key_variable, "CORP_KEY");
    const verified = JSON.parse((await yoi(["pod", "verify", "p", "--wire", "--json"])).stdout);
    assert.deepEqual([verified.ok, verified.requests, verified.wire_checked], [true, 1, 1]);
    const again = await yoi(["run", "--pod", "p", "--sandbox", "off", "more"], { CORP_KEY: "corp-key-1" });
    assert.equal(again.code, 3);
    assert.match(
      again.stderr,
      /^yoi: The Pod p runs with the provider corp that \S+config\.toml:1 defined, and no such definition is there any more: define it again below \[\[providers\]\], or name /m,
    );
    assert.equal(server.requests.length, 1);
  });
});

test("a Pod does not go on with another provider of the same name, nor with a base URL that was kept of it", async () => {
  const config = (url: string) => `[model]\nref = "anthropic/m"\n${corp(url, "anthropic", "anthropic")}`;
  await withServer(providerRows.anthropic, config, async ({ config: path, yoi }, server) => {
    const elsewhere = { ...keys, CORP_KEY: "corp-key-1", ANTHROPIC_BASE_URL: server.url };
    const go = (pod: string, ...flags: readonly string[]) =>
      yoi(["run", "--pod", pod, "--sandbox", "off", ...flags, "hello"], elsewhere);
    assert.equal((await go("built-in-gone")).code, 0);
    const sent = server.requests.map(({ headers }) => headers["x-api-key"]);
    assert.deepEqual(sent, ["corp-key-1"]);
    rmSync(path);
    const gone = await go("built-in-gone");
    assert.match(gone.stderr, /^yoi: The Pod built-in-gone runs with the provider anthropic that /m);
    // One that kept the base URL of the built-in provider, which is the user's own by now.
    assert.equal((await go("kept", "-m", "anthropic/m", "--base-url", server.url)).code, 0);
    writeFileSync(path, config("http://127.0.0.1:9"));
    const changed = await go("kept");
    assert.match(
      changed.stderr,
      /^yoi: The Pod kept keeps the base URL \S+ for the provider anthropic, .* --base-url /m,
    );
    assert.deepEqual([gone.code, changed.code], [3, 3]);
    assert.deepEqual(
      server.requests.map(({ headers }) => headers["x-api-key"]),
      ["corp-key-1", keys.ANTHROPIC_API_KEY],
    );
  });
});

test("a provider that takes a built-in name gets no key but its own", async () => {
  const config = (url: string) => corp(url, "anthropic", "anthropic");
  await withServer(providerRows.anthropic, config, async ({ yoi }, server) => {
    const ask = ["run", "--sandbox", "off", "hello"];
    const refused = await yoi(ask);
    assert.equal(refused.code, 4);
    assert.match(refused.stderr, /There is no key for anthropic: set CORP_KEY\./);
    assert.equal(server.requests.length, 0);
    const run = await yoi(ask, { CORP_KEY: "corp-key-2" });
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(
      server.requests.map(({ headers }) => headers["x-api-key"]),
      ["corp-key-2"],
    );
  });
});

interface Listed {
  readonly default: string;
  readonly providers: readonly {
    readonly name: string;
    readonly origin: string | null;
    readonly key: object;
  }[];
  readonly models: readonly {
    readonly ref: string;
    readonly origin: string | null;
    readonly default: boolean;
  }[];
}

test("what the file defines is listed and shown, keys by name alone, and a fault has its line", async () => {
  const config = (url: string) =>
    `[model]\nref = "corp/m"\n${corp(url, "google")}[[models]]\nref = "openai/gpt-5.2"\ninput_price = 1\noutput_price = 2\n`;
  await withServer(providerRows.google, config, async ({ config: path, yoi }) => {
    const list = await yoi(["model", "list", "--json"], { CORP_KEY: "corp-key-3" });
    const { default: chosen, providers, models }: Listed = JSON.parse(list.stdout);
    assert.equal(chosen, "corp/m");
    assert.deepEqual(
      providers
        .filter(({ name }) => name === "corp" || name === "google")
        .map((one) => [one.origin, one.key]),
      [
        [null, { need: "required", found: null }],
        [`${path}:3`, { need: "required", found: "CORP_KEY" }],
      ],
    );
    assert.deepEqual(
      models
        .filter((one) => one.origin !== null || one.default)
        .map((one) => [one.ref, one.origin, one.default]),
      [
        ["openai/gpt-5.2", `${path}:8`, false],
        ["corp/m", null, true],
      ],
    );
    const text = await yoi(["model", "list", "--provider", "corp"], { CORP_KEY: "corp-key-3" });
    assert.match(text.stdout, /^corp +google +http:\/\/127.* found: CORP_KEY +.*config\.toml:3$/m);
    assert.match(text.stdout, /^corp\/m +200000 .* default, window not known$/m);
    assert.doesNotMatch(text.stdout, /openai/);
    const shown = await yoi(["config", "show"]);
    assert.match(shown.stdout, /^providers\[0\] .*"key_variable":"CORP_KEY".*config\.toml:3$/m);
    assert.match(shown.stdout, /^models\[0\] .*config\.toml:8$/m);
    for (const { stdout, stderr } of [list, text, shown])
      assert.doesNotMatch(stdout + stderr, /corp-key-3|not-for-corp/);
    assert.equal((await yoi(["model", "list", "--provider", "nope"])).code, 3);
    writeFileSync(path, '\n[[models]]\nref = "nope/m"\n');
    const check = await yoi(["config", "check"]);
    assert.equal(check.code, 3);
    assert.match(check.stderr, /config\.toml:2: the provider nope of the model nope\/m is not known/);
  });
});
