/** Completion in a real bash: the script is sourced as a user sources it, and asked at every kind of place. zsh and fish are not on the machines that run this; their scripts are only compared as texts. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { models } from "../../packages/model/src/index.ts";
import { tempHome } from "../support/temp-home.ts";
import { runYoi, yoiCommand } from "../support/yoi-process.ts";

/** What bash offers for each line, its last word being the one under the cursor. */
const ask = `
eval "$(yoi completion bash)"
while IFS= read -r line; do
  COMP_WORDS=($line)
  [[ $line == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _yoi
  echo "\${COMPREPLY[*]}"
done
`;

test("commands, flags, choices, Pods, models, directories and files are offered where they can stand", async () => {
  using home = tempHome();
  writeFileSync(join(home.workspace, "s.yaml"), "steps:\n  - text: Done.\n");
  mkdirSync(join(home.workspace, "sub"));
  const options = { env: home.env, cwd: home.workspace };
  for (const pod of ["alpha", "beta"])
    assert.equal((await runYoi(["run", "go", "--pod", pod, "-m", "scripted/s.yaml"], options)).code, 0);
  mkdirSync(join(home.home, "config"));
  writeFileSync(
    join(home.home, "config", "config.toml"),
    `[[providers]]\nname = "corp"\nkind = "openai-compatible"\nbase_url = "http://127.0.0.1:9/v1"\nsecret = "providers/corp/default"\n[[models]]\nref = "corp/house"\n`,
  );
  const kept = await runYoi(["secret", "set", "web/brave/default"], { ...options, input: "a-key-of-brave" });
  assert.equal(kept.code, 0, kept.stderr);
  mkdirSync(join(home.workspace, ".yoi", "features"), { recursive: true });
  writeFileSync(join(home.workspace, ".yoi", "features", "lint.ts"), "export default {};\n");
  const claude = models
    .map(({ provider, id }) => `${provider}/${id}`)
    .filter((m) => m.startsWith("anthropic/claude-h"));
  assert.ok(claude.length > 0);
  const made = await runYoi(["ticket", "create", "--title", "first"], options);
  assert.equal(made.code, 0, made.stderr);
  const ticket = made.stdout.trim().replace("created ", "");
  const cases: readonly (readonly [string, string])[] = [
    ["yoi ru", "run"],
    ["yoi pod ex", "export"],
    ["yoi pod show ", "alpha beta"],
    ["yoi pod show al", "alpha"],
    ["yoi pod show alpha ", ""],
    ["yoi pod --", "--help"],
    ["yoi run --ti", "--timeout"],
    ["yoi run --pod b", "beta"],
    ["yoi run -r ", "alpha beta"],
    ["yoi run -m corp/", "corp/house"],
    ["yoi model list --provider cor", "corp"],
    ["yoi secret rm we", "web/brave/default"],
    ["yoi secret set providers/c", "providers/corp/default"],
    ["yoi feature show ", "builtin:pods builtin:task builtin:ticket-store builtin:tickets project:lint"],
    ["yoi feature approve pro", "project:lint"],
    ["yoi feature approve project : l", "lint"],
    ["yoi feature approve project :", "lint"],
    ["yoi feature approve project : lint --di", "--digest"],
    ["yoi pod verify --wire ", "alpha beta"],
    ["yoi pod verify --wire 5 ", "alpha beta"],
    ["yoi pod verify --wire alpha ", ""],
    ["yoi pod verify -- ", "alpha beta"],
    ["yoi pod verify -- --", ""],
    ["yoi run --output-format ", "text json stream-json"],
    ["yoi run --output-format = st", "stream-json"],
    ["yoi run --output-format = text --sandbox ", "on off"],
    ["yoi run --output-format json --sandbox o", "on off"],
    ["yoi run -m anthropic/claude-h", claude.join(" ")],
    ["yoi run -C s", "sub"],
    ["yoi pod verify --bundle s", "s.yaml sub"],
    ["yoi run po", ""],
    ["yoi ticket sh", "show"],
    ["yoi ticket show ", ticket],
    ["yoi ticket comment 0000", ticket],
    ["yoi ticket link X --blocks ", ticket],
    ["yoi ticket list --state clo", "closed"],
    ["yoi ticket import s", "sub"],
    ["yoi completion ", "bash zsh fish"],
    ["yoi help con", "config"],
    ["yoi __", ""],
  ];
  const bash = spawnSync("bash", ["--norc", "-c", ask], {
    env: { ...home.env, PATH: `${dirname(yoiCommand)}:${home.env["PATH"]}` },
    cwd: home.workspace,
    input: cases.map(([line]) => `${line}\n`).join(""),
    encoding: "utf8",
  });
  assert.equal(bash.status, 0, bash.stderr);
  const offered = bash.stdout.split("\n");
  assert.deepEqual(
    cases.map(([line], index) => [line, sorted(offered[index] ?? "?")]),
    cases.map(([line, words]) => [line, sorted(words)]),
    bash.stderr,
  );
});

function sorted(words: string): string {
  return words.split(" ").toSorted().join(" ");
}
