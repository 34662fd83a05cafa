/** What keeps a key out of places where it would stay: base URLs that hold one, keys with white space around them, marks that would replace one in a file. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { startAnthropicServer } from "../support/anthropic-server.ts";
import { tempHome } from "../support/temp-home.ts";
import { runYoi } from "../support/yoi-process.ts";
import { canary, filesBelow, hitsIn } from "./canary.ts";

const answer = (text: string) => ({ blocks: [{ type: "text", text }] }) as const;

test("a base URL with a known key in it is refused before anything is written or sent, wherever it and the key come from", async () => {
  using home = tempHome();
  const variable = canary("variable");
  const stored = canary("stored");
  const decoy = canary("decoy");
  const server = await startAnthropicServer({ answers: [answer("hi")] });
  const options = { cwd: home.workspace, env: { ...home.env, ANTHROPIC_API_KEY: variable } };
  await runYoi(["secret", "set", "providers/openai/default"], { ...options, input: stored });
  const configPath = join(home.home, "config", "config.toml");
  mkdirSync(join(home.home, "config"));
  const at = (key: string): string => `${server.url}/${encodeURIComponent(key)}`;
  const rows: readonly (readonly [name: string, config: string, flags: readonly string[], key: string])[] = [
    ["flag", "", ["-m", "anthropic/m", "--base-url", at(variable)], variable],
    ["stored", "", ["-m", "openai/m", "--base-url", at(stored)], stored],
    ["no model", "", ["--base-url", at(variable)], variable],
    ["file", `[model]\nref = "anthropic/m"\nbase_url = "${at(variable)}"\n`, [], variable],
    [
      "provider",
      `[[providers]]\nname = "corp"\nkind = "anthropic"\nbase_url = "${at(variable)}"\nkey = "none"\n`,
      ["-m", "corp/m"],
      variable,
    ],
  ];
  try {
    for (const [name, config, flags, key] of rows) {
      writeFileSync(configPath, config);
      const run = await runYoi(["run", "--pod", "p", "--sandbox", "off", ...flags, "hi"], options);
      assert.match(
        run.stderr,
        /^yoi: The base URL holds the key \S+, and would be kept with the Pod: take it out of /m,
        name,
      );
      const files = filesBelow(home.home);
      files.delete(configPath);
      files.delete(join(home.home, "keep/secrets/providers+openai+default.json"));
      assert.deepEqual(
        [run.code, hitsIn(new Map<string, Buffer | string>([...files, ["stderr", run.stderr]]), key)],
        [3, []],
        name,
      );
    }
    assert.equal(server.requests.length, 0);
    // Control: what is no key of yoi's goes through, and is found where a Pod keeps it.
    writeFileSync(configPath, "");
    const flags = ["-m", "anthropic/m", "--base-url", at(decoy)];
    await runYoi(["run", "--pod", "p", "--sandbox", "off", ...flags, "hi"], options);
    await runYoi(["pod", "export", "p", "-o", join(home.root, "p.tar")], options);
    const places = hitsIn(filesBelow(join(home.home, "pods"), join(home.root, "p.tar")), decoy).join(" ");
    assert.match(places, /metadata\.json: percent .*p\.tar: percent/);
  } finally {
    await server.close();
  }
});

test("a key that was stored with white space around it is taken out as it is sent", async () => {
  using home = tempHome();
  const key = canary("spaced");
  const options = { cwd: home.workspace, env: home.env };
  const set = await runYoi(["secret", "set", "providers/anthropic/default"], {
    ...options,
    input: `  ${key} `,
  });
  assert.equal(set.code, 0, set.stderr);
  const server = await startAnthropicServer({ answers: [answer(`It is ${key}.`)] });
  try {
    const flags = ["-m", "anthropic/m", "--base-url", server.url, "--sandbox", "off"];
    const run = await runYoi(["run", "--pod", "p", ...flags, "hi"], options);
    assert.deepEqual(
      [run.code, run.stdout],
      [0, "It is [redacted: providers/anthropic/default].\n"],
      run.stderr,
    );
    assert.equal(server.requests[0]?.headers["x-api-key"], key);
    assert.deepEqual(hitsIn(filesBelow(join(home.home, "sessions"), join(home.home, "pods")), key), []);
  } finally {
    await server.close();
  }
});

test("a file never gets the mark of a key: Write says so and leaves it, a shell command is told", async () => {
  using home = tempHome();
  const key = canary("marked");
  const file = join(home.workspace, "settings.txt");
  writeFileSync(file, `key=${key}\n`);
  const fresh = join(home.workspace, "new.txt");
  const sample = join(home.workspace, "sample.txt");
  const samples = "OPENAI_API_KEY=your-api-key-here\n";
  const server = await startAnthropicServer({
    answers: [
      { blocks: [{ type: "tool_call", name: "Read", arguments: { file_path: file } }] },
      {
        blocks: [
          {
            type: "tool_call",
            name: "Write",
            arguments: { file_path: file, content: `# mine\nkey=${key}\n` },
          },
          { type: "tool_call", name: "Write", arguments: { file_path: fresh, content: `"${key}"` } },
          {
            type: "tool_call",
            name: "Edit",
            arguments: { file_path: file, old_string: "key=", new_string: `old=${key}\nkey=` },
          },
          { type: "tool_call", name: "Bash", arguments: { command: `true '${key}'` } },
          { type: "tool_call", name: "Write", arguments: { file_path: sample, content: samples } },
        ],
      },
      answer("done"),
    ],
  });
  try {
    const flags = ["-m", "anthropic/m", "--base-url", server.url, "--sandbox", "off"];
    const env = { ...home.env, ANTHROPIC_API_KEY: key, OPENAI_API_KEY: "your-api-key-here" };
    const run = await runYoi(["run", "--pod", "p", ...flags, "hi"], { cwd: home.workspace, env });
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual([readFileSync(file, "utf8"), existsSync(fresh)], [`key=${key}\n`, false]);
    assert.equal(readFileSync(sample, "utf8"), samples);
    const told = String(server.requests[2]?.raw);
    assert.equal(
      told.match(/ was not executed: it would put \[redacted: ANTHROPIC_API_KEY\] into the file/g)?.length,
      3,
    );
    assert.equal(
      told.match(/Note: the arguments of this call hold \[redacted: ANTHROPIC_API_KEY\]/g)?.length,
      1,
    );
  } finally {
    await server.close();
  }
});

test("a value that is no key is left where it is, and set, doctor and model list say so", async () => {
  using home = tempHome();
  const options = {
    cwd: home.workspace,
    env: { ...home.env, OPENAI_API_KEY: "sk-no-key-required", GEMINI_API_KEY: canary("gemini") },
  };
  const set = await runYoi(["secret", "set", "providers/corp/default"], {
    ...options,
    input: "xxxxxxxxxxxx",
  });
  assert.match(
    set.stderr,
    /^yoi: The value is not taken out of logs and output: it has less than 8 different characters\.$/m,
  );
  const { checks } = JSON.parse((await runYoi(["doctor", "--json"], options)).stdout);
  const { detail } = checks.find(({ check }: { readonly check: string }) => check === "credentials");
  assert.equal(
    detail,
    "OPENAI_API_KEY is set (not taken out of logs and output: it is a placeholder), GEMINI_API_KEY is set, the secret providers/corp/default is kept",
  );
  const { warnings } = JSON.parse((await runYoi(["model", "list", "--json"], options)).stdout);
  assert.deepEqual(warnings, [
    "What OPENAI_API_KEY holds is not taken out of logs and output: it is a placeholder.",
  ]);
});
