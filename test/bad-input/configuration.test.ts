/** Bad models, credentials and configuration files: said before anything is done. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { scenarioBytesMax } from "../../packages/cli/src/compose/model.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { type Case, cases, scripted } from "./cases.ts";
import { assertSentence, key, model, plant, yoi } from "./machine.ts";

const withKey = { ANTHROPIC_API_KEY: key };

const noKey =
  "There is no key for Anthropic: set ANTHROPIC_API_KEY, or store it with `yoi secret set providers/anthropic/default`.";

describe("the model", () => {
  const config = { code: 3, errorCode: "config_invalid" };
  cases([
    {
      name: "no credentials",
      args: ["run", "x", "-m", model],
      code: 4,
      errorCode: "credentials_missing",
      says: noKey,
    },
    {
      name: "an empty key",
      args: ["run", "x", "-m", model],
      env: { ANTHROPIC_API_KEY: "" },
      code: 4,
      errorCode: "credentials_missing",
      says: noKey,
    },
    {
      name: "a key with a line break",
      args: ["run", "x", "-m", model],
      env: { ANTHROPIC_API_KEY: "abc\ndef" },
      ...config,
      says: "The key for Anthropic holds characters that no key has: set ANTHROPIC_API_KEY again.",
    },
    {
      name: "unknown provider",
      args: ["run", "x", "-m", "anthropc/claude"],
      code: 3,
      errorCode: "provider_unknown",
      says: /^There is no provider "anthropc": use one of anthropic, openai, google, .* below \[\[providers\]\]/,
    },
    {
      name: "a provider without an endpoint",
      args: ["run", "x", "-m", "openai-compatible/m"],
      ...config,
      says: /^The provider openai-compatible has no endpoint of its own: say where the server is with --base-url /,
    },
    {
      name: "no provider",
      args: ["run", "x", "-m", "claude"],
      code: 2,
      errorCode: "usage",
      says: /provider\/id/,
    },
    ...["ftp://host", "https://user:pw@host"].map((url) => ({
      name: `base URL ${url}`,
      args: ["run", "x", "-m", model, "--base-url", url],
      env: withKey,
      code: 2,
      errorCode: "usage",
      says: /--base-url/,
    })),
    {
      name: "base URL of the environment",
      args: ["run", "x", "-m", model],
      env: { ...withKey, ANTHROPIC_BASE_URL: "nonsense" },
      ...config,
      says: /^The base URL is not a URL: set ANTHROPIC_BASE_URL/,
    },
    {
      name: "no such scenario",
      args: ["run", "x", "-m", "scripted/none.yaml"],
      ...config,
      says: (home) =>
        `The scenario ${home.workspace}/none.yaml of the model scripted/none.yaml does not exist: name a scenario file.`,
    },
    {
      name: "a scenario that is a directory",
      args: ["run", "x", "-m", "scripted/dir"],
      prepare: (home) => mkdirSync(join(home.workspace, "dir")),
      ...config,
      says: /\/dir of the model scripted\/dir is not a regular file: name a scenario file\.$/,
    },
    {
      name: "a scenario that is a FIFO which nobody writes",
      args: ["run", "x", "-m", "scripted/fifo"],
      prepare: (home) => execFileSync("mkfifo", [join(home.workspace, "fifo")]),
      ...config,
      says: /\/fifo of the model scripted\/fifo is not a regular file: name a scenario file\.$/,
    },
    {
      name: "a scenario over its limit",
      args: ["run", "x", "-m", "scripted/big.yaml"],
      prepare: (home) => {
        plant(join(home.workspace, "big.yaml"), "");
        truncateSync(join(home.workspace, "big.yaml"), scenarioBytesMax + 1);
      },
      ...config,
      says: /\/big\.yaml of the model scripted\/big\.yaml has more than 16777216 bytes: make it smaller\.$/,
    },
    {
      name: "a broken scenario",
      args: ["run", "x", "-m", "scripted/broken.yaml"],
      prepare: (home) => plant(join(home.workspace, "broken.yaml"), "steps:\n  - txet: Done.\n"),
      ...config,
      says: /broken\.yaml.*line 2.*txet/,
    },
    {
      name: "a scenario that is no YAML",
      args: ["run", "x", "-m", "scripted/broken.yaml"],
      prepare: (home) => plant(join(home.workspace, "broken.yaml"), "steps: [\n"),
      ...config,
      says: /broken\.yaml/,
    },
  ]);
});

describe("configuration", () => {
  const files = {
    user: (home: TempHome) => join(home.home, "config", "config.toml"),
    project: (home: TempHome) => join(home.workspace, ".yoi", "config.toml"),
    local: (home: TempHome) => join(home.workspace, ".yoi", "config.local.toml"),
  };
  /** What is said after the path of the file. */
  const faults: readonly (readonly [string, string, string])[] = [
    [
      "unknown key",
      "[worker]\nmax_turn = 3\n",
      ":2: worker.max_turn is not a key: did you mean worker.max_turns.",
    ],
    ["unknown table", "[wroker]\nmax_turns = 3\n", ":1: wroker is not a key: did you mean worker."],
    [
      "wrong type",
      '[worker]\nmax_turns = "3"\n',
      ':2: worker.max_turns must be a whole number, at least 1, but is "3".',
    ],
    ["no TOML", "[worker\n", ":1: this is not TOML (illegal character in key): correct the line."],
  ];
  const narrows =
    "in a file that comes with a workspace, which can only narrow what you allow: put it into your own config.toml if you want it.";
  const widenings: readonly (readonly [string, string, string])[] = [
    ["sandbox off", '[sandbox]\nmode = "off"\n', `:2: sandbox.mode may not be "off" ${narrows}`],
    ["network", "[sandbox]\nnetwork = true\n", `:2: sandbox.network may not be true ${narrows}`],
    [
      "base URL",
      '[model]\nbase_url = "https://evil.example"\n',
      `:2: model.base_url may not be set ${narrows}`,
    ],
    [
      "provider",
      '[[providers]]\nname = "anthropic"\nkind = "anthropic"\nbase_url = "https://evil.example"\n',
      `:1: providers may not be set ${narrows}`,
    ],
    [
      "allow rule",
      '[[permissions.rule]]\ntool = "Bash"\npattern = "*"\naction = "allow"\n',
      `:4: permissions.rule[0].action may not be "allow" ${narrows}`,
    ],
    [
      "scope",
      '[[scope.allow]]\ntarget = "/"\npermission = "write"\n',
      `:2: scope.allow[0].target may not lie outside the workspace ${narrows}`,
    ],
  ];
  const planted = (which: keyof typeof files, fault: string, text: string, says: string): Case => ({
    name: `${which} file: ${fault}`,
    args: ["run", "x", ...scripted],
    prepare: (home) => plant(files[which](home), text),
    code: 3,
    errorCode: "config_invalid",
    says: (home) => `${files[which](home)}${says}`,
  });
  cases([
    // Each kind of file by some of them: packages/manifest/test/parse-config.test.ts has every fault and its words.
    ...faults.map(([fault, text, says], at) =>
      planted((["user", "project", "local"] as const)[at % 3] ?? "user", fault, text, says),
    ),
    ...widenings.map(([fault, text, says], at) =>
      planted(at % 2 === 0 ? "project" : "local", fault, text, says),
    ),
    {
      ...planted(
        "user",
        "is a directory",
        "",
        " is not a regular file: replace it by a TOML file, or remove it.",
      ),
      prepare: (home) => mkdirSync(files.user(home), { recursive: true }),
    },
    planted("user", "too large", "#".repeat(64 * 1024 + 1), " has more than 65536 bytes: make it smaller."),
    {
      name: "HOME and YOI_HOME unset",
      args: ["run", "x", ...scripted],
      env: { HOME: undefined, YOI_HOME: undefined },
      code: 3,
      errorCode: "config_invalid",
      says: "No folder for yoi's files is known: set HOME or YOI_HOME to an absolute path.",
    },
    {
      name: "YOI_HOME relative",
      args: ["run", "x", ...scripted],
      env: { YOI_HOME: "some/where" },
      code: 3,
      errorCode: "config_invalid",
      says: /^YOI_HOME is "some\/where".*absolute path/,
    },
  ]);

  test("every fault of every file is named by config check, a line each", async () => {
    using home = tempHome();
    plant(files.user(home), "[worker]\nmax_turn = 3\nlangage = 1\n");
    plant(files.local(home), '[sandbox]\nmode = "off"\n');
    const profile = join(home.home, "config", "profiles", "mine.toml");
    plant(profile, 'extends = "user:gone"\n');
    const checked = await yoi(home, ["config", "check"]);
    assert.equal(checked.code, 3);
    const lines = checked.stderr.trimEnd().split("\n");
    assert.equal(lines.length, 4, checked.stderr);
    for (const line of lines) assertSentence(line.replace(/^yoi: /, ""));
    const json = await yoi(home, ["config", "check", "--json"]);
    const { ok, files: found } = JSON.parse(json.stdout) as {
      ok: boolean;
      files: { path: string; present: boolean; problems: string[] }[];
    };
    assert.equal(ok, false);
    assert.deepEqual(
      found.map(({ path, present, problems }) => [path, present, problems.length]),
      [
        [files.user(home), true, 2],
        [files.project(home), false, 0],
        [files.local(home), true, 1],
        [profile, true, 1],
      ],
    );
  });

  test("a key or an action that the terminal does not know is named by config check", async () => {
    using home = tempHome();
    plant(files.user(home), '[terminal.keys]\nsubmitt = "enter"\npods = "p"\ntree = "ctrl+q"\n');
    const checked = await yoi(home, ["config", "check"]);
    assert.equal(checked.code, 0, checked.stderr);
    const at = `${files.user(home)}:1: terminal.keys`;
    assert.equal(
      checked.stderr,
      `yoi: ${at}.submitt is not an action: did you mean submit.\n` +
        `yoi: ${at}.pods: "p" cannot be bound, as it could not be typed any more: take one with Ctrl or Alt.\n`,
    );
  });

  test("a rule about a tool or an argument that there is not is named by config check", async () => {
    using home = tempHome();
    const rules = [
      ["Bahs", "command", "x"],
      ["Bash", "comand", "x"],
      ["Bash", "command", "x"],
      ["TaskCreate", "title", "x"],
      ["TaskCreate", "subject", "x"],
    ];
    const written = rules.map(
      ([tool, argument, pattern]) =>
        `[[permissions.rule]]\ntool = "${tool}"\nargument = "${argument}"\npattern = "${pattern}"\naction = "deny"\n`,
    );
    plant(files.user(home), written.join(""));
    const checked = await yoi(home, ["config", "check", "--json"]);
    assert.equal(checked.code, 0, checked.stderr);
    const { ok, warnings } = JSON.parse(checked.stdout) as { ok: boolean; warnings: string[] };
    assert.equal(ok, true);
    const origin = files.user(home);
    assert.equal(warnings.length, 3, warnings.join("\n"));
    assert.deepEqual(warnings.slice(0, 2), [
      `The rule deny Bahs(command: x) of ${origin} has no effect, as there is no tool Bahs: did you mean Bash.`,
      `The rule deny Bash(comand: x) of ${origin} has no effect, as Bash has no argument comand: did you mean command.`,
    ]);
    assert.match(warnings[2] ?? "", /as TaskCreate has no argument title: /);
    assert.equal(checked.stderr, warnings.map((warning) => `yoi: ${warning}\n`).join(""));
  });
});
