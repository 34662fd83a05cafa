/** Bad input that is seen before anything is done: command lines, prompts, names, workspaces, models, credentials and configuration. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { assertFails, assertSentence, type Failing, key, model, plant, treeOf, yoi } from "./machine.ts";

const withKey = { ANTHROPIC_API_KEY: key };
const scripted = ["-m", "scripted/s.yaml"];
const scenario = "steps:\n  - text: Done.\n";

type Case = Omit<Failing, "says"> & {
  readonly name: string;
  readonly says: string | RegExp | ((home: TempHome) => string);
  readonly prepare?: (home: TempHome) => void;
};

function cases(list: readonly Case[]): void {
  for (const { name, prepare, says, ...failing } of list) {
    test(name, async () => {
      using home = tempHome();
      plant(join(home.workspace, "s.yaml"), scenario);
      prepare?.(home);
      await assertFails(home, { ...failing, says: typeof says === "function" ? says(home) : says });
    });
  }
}

const seeHelp = "See `yoi --help`.";
const nameRule = 'use 1 to 64 ASCII letters, digits, "-", "_" or ".", not starting with a dot or a dash.';

describe("the command line", () => {
  const usage = { code: 2, errorCode: "usage" };
  cases([
    {
      name: "unknown option",
      args: ["run", "x", "--frob"],
      ...usage,
      says: `Unknown option '--frob'. ${seeHelp}`,
    },
    {
      name: "misspelt option",
      args: ["run", "x", "--modle", "a/b"],
      ...usage,
      says: `Unknown option '--modle': did you mean --model? ${seeHelp}`,
    },
    { name: "option without its value", args: ["run", "x", "--pod"], ...usage, says: /'--pod <name>'/ },
    {
      name: "too many arguments",
      args: ["run", "fix", "it"],
      ...usage,
      says: /^Too many arguments for 'run'\. Expected 1 argument but got 2/,
    },
    { name: "no turns", args: ["run", "x", "--max-turns", "0"], ...usage, says: /whole number above 0/ },
    { name: "half a turn", args: ["run", "x", "--max-turns", "1.5"], ...usage, says: /whole number above 0/ },
    {
      name: "unknown mode",
      args: ["run", "x", "--permission-mode", "yolo"],
      ...usage,
      says: /Allowed choices are ask/,
    },
    {
      name: "unknown sandbox state",
      args: ["run", "x", "--sandbox", "maybe"],
      ...usage,
      says: /Allowed choices are on, off/,
    },
  ]);

  test("unknown command, and a misspelt one", async () => {
    using home = tempHome();
    const unknown = await yoi(home, ["frob"]);
    assert.deepEqual([unknown.code, unknown.stdout], [2, ""]);
    assert.equal(unknown.stderr, `yoi: Unknown command 'frob'. ${seeHelp}\n`);
    const misspelt = await yoi(home, ["doctr"]);
    assert.equal(misspelt.stderr, `yoi: Unknown command 'doctr': did you mean doctor? ${seeHelp}\n`);
    assert.equal(misspelt.code, 2);
  });

  test("control characters of an argument do not reach the terminal", async () => {
    using home = tempHome();
    const { stderr } = await yoi(home, ["\u001b[31mred"]);
    assert.equal(stderr, `yoi: Unknown command '\\u001b[31mred'. ${seeHelp}\n`);
  });
});

describe("the prompt", () => {
  const empty = {
    code: 2,
    errorCode: "prompt_empty",
    says: "The prompt is empty: say what the Pod should do.",
  };
  const emptyInput = {
    ...empty,
    says: "The prompt on standard input is empty: say what the Pod should do.",
  };
  const neither =
    'There is neither a prompt nor a Pod to resume: `yoi run "what to do"`, or `yoi run --pod NAME`.';
  cases([
    { name: "empty", args: ["run", "", ...scripted], ...empty },
    { name: "only spaces", args: ["run", " \n\t ", ...scripted], ...empty },
    { name: "empty standard input, asked for", args: ["run", "-", ...scripted], input: "", ...emptyInput },
    { name: "only spaces on standard input", args: ["run", "-", ...scripted], input: " \n ", ...emptyInput },
    {
      name: "neither prompt nor run",
      args: ["run", ...scripted],
      code: 2,
      errorCode: "usage",
      says: neither,
    },
    {
      name: "empty standard input, no Pod",
      args: ["run", ...scripted],
      input: "",
      code: 2,
      errorCode: "usage",
      says: neither,
    },
    {
      name: "a Pod that is not there, to be resumed",
      args: ["run", "--pod", "ghost", ...scripted],
      code: 2,
      errorCode: "nothing_to_resume",
      says: "There is no Pod named ghost: give a prompt to start it, or see `yoi pod list`.",
    },
    {
      name: "larger than its limit",
      args: ["run", ...scripted],
      input: "x".repeat(16 * 1024 * 1024 + 1),
      code: 2,
      errorCode: "usage",
      says: /^The prompt on standard input has more than 16777216 bytes: put it into a file/,
    },
  ]);
});

describe("the name of a Pod", () => {
  const bad = ["a b", ".hidden", "-dash", "a/b", "..", "ünicode", "a\nb", "x".repeat(65), "new\u0000", ""];
  for (const name of bad.filter((candidate) => !candidate.includes("\u0000"))) {
    cases([
      {
        name: JSON.stringify(name.slice(0, 12)),
        args: ["run", "x", `--pod=${name}`, ...scripted],
        code: 2,
        errorCode: "pod_name_invalid",
        says: `The Pod name ${JSON.stringify(name)} is not valid: ${nameRule}`,
      },
    ]);
  }

  test("that differs from another's by case only", async () => {
    using home = tempHome();
    plant(join(home.workspace, "s.yaml"), scenario);
    assert.equal((await yoi(home, ["run", "x", "--pod", "Review", ...scripted])).code, 0);
    await assertFails(home, {
      args: ["run", "x", "--pod", "review", ...scripted],
      code: 1,
      errorCode: "pod_exists",
      says: "The Pod name review differs from the existing Pod Review by case only: use that name, or another one.",
    });
  });

  for (const verb of ["show", "log", "verify", "rm"]) {
    test(`that is not there, or no name, for pod ${verb}`, async () => {
      using home = tempHome();
      const before = treeOf(home.home);
      const ghost = "There is no Pod named ghost: `yoi pod list` shows the ones there are.";
      const text = await yoi(home, ["pod", verb, "ghost"]);
      assert.deepEqual([text.code, text.stdout, text.stderr], [1, "", `yoi: ${ghost}\n`]);
      const json = await yoi(home, ["pod", verb, "ghost", "--json"]);
      assert.equal(json.stdout, `${JSON.stringify({ error: ghost, error_code: "pod_unknown" })}\n`);
      const invalid = await yoi(home, ["pod", verb, "a b", "--json"]);
      assert.equal(invalid.code, 2);
      assert.equal((JSON.parse(invalid.stdout) as { error_code: string }).error_code, "pod_name_invalid");
      assert.deepEqual(treeOf(home.home), before);
    });
  }
});

describe("the workspace", () => {
  const missing = { code: 2, errorCode: "workspace_missing" };
  cases([
    {
      name: "not there",
      args: ["run", "x", "-C", "nowhere", ...scripted],
      ...missing,
      says: (home) =>
        `The workspace ${home.workspace}/nowhere cannot be opened (ENOENT): name an existing directory with -C.`,
    },
    {
      name: "a file",
      args: ["run", "x", "-C", "s.yaml", ...scripted],
      ...missing,
      says: (home) => `The workspace ${home.workspace}/s.yaml is not a directory: name a directory with -C.`,
    },
    {
      name: "a link to nowhere",
      args: ["run", "x", "-C", "link", ...scripted],
      prepare: (home) => symlinkSync("gone", join(home.workspace, "link")),
      ...missing,
      says: /cannot be opened \(ENOENT\)/,
    },
  ]);

  test("gone since the Pod was created, and another one for it", async () => {
    using home = tempHome();
    const first = join(home.root, "first");
    plant(join(first, "s.yaml"), scenario);
    assert.equal((await yoi(home, ["run", "x", "--pod", "p", "-C", first, ...scripted])).code, 0);
    await assertFails(home, {
      args: ["run", "y", "--pod", "p", "-C", home.workspace],
      code: 2,
      errorCode: "usage",
      says: `The Pod p works in ${first}, not in ${home.workspace}: leave out -C, or name another Pod.`,
    });
    rmSync(first, { recursive: true });
    await assertFails(home, {
      args: ["run", "y", "--pod", "p"],
      code: 2,
      errorCode: "workspace_missing",
      says: new RegExp(`^The workspace ${first} of the Pod p cannot be opened \\(ENOENT\\)`),
    });
  });
});

describe("the model", () => {
  const config = { code: 3, errorCode: "config_invalid" };
  cases([
    {
      name: "no credentials",
      args: ["run", "x", "-m", model],
      code: 4,
      errorCode: "credentials_missing",
      says: "There is no key for Anthropic: set ANTHROPIC_API_KEY.",
    },
    {
      name: "an empty key",
      args: ["run", "x", "-m", model],
      env: { ANTHROPIC_API_KEY: "" },
      code: 4,
      errorCode: "credentials_missing",
      says: "There is no key for Anthropic: set ANTHROPIC_API_KEY.",
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
      says: /^There is no provider "anthropc": use one of anthropic, scripted/,
    },
    {
      name: "a provider of a later version",
      args: ["run", "x", "-m", "openai/gpt"],
      code: 3,
      errorCode: "provider_unknown",
      says: /^The provider openai does not work in this version of yoi/,
    },
    {
      name: "no provider",
      args: ["run", "x", "-m", "claude"],
      code: 2,
      errorCode: "usage",
      says: /provider\/id/,
    },
    ...["not a url", "ftp://host", "https://user:pw@host", "https://host?x=1", "localhost:8080"].map(
      (url) => ({
        name: `base URL ${url}`,
        args: ["run", "x", "-m", model, "--base-url", url],
        env: withKey,
        code: 2,
        errorCode: "usage",
        says: /--base-url/,
      }),
    ),
    {
      name: "base URL of the environment",
      args: ["run", "x", "-m", model],
      env: { ...withKey, ANTHROPIC_BASE_URL: "nonsense" },
      ...config,
      says: /^The base URL "nonsense" is not a URL: set ANTHROPIC_BASE_URL/,
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
      code: 1,
      errorCode: "io_failed",
      says: /dir: it is a directory \(EISDIR\)/,
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
      `:2: model.base_url may not be set, as it says where your credentials and code are sent ${narrows}`,
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
    ...faults.flatMap(([fault, text, says]) =>
      (["user", "project", "local"] as const).map((which) => planted(which, fault, text, says)),
    ),
    ...widenings.flatMap(([fault, text, says]) =>
      (["project", "local"] as const).map((which) => planted(which, fault, text, says)),
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
    planted(
      "user",
      "too large",
      "#".repeat(300 * 1024),
      " has 307200 bytes, over the limit of 262144: make it smaller.",
    ),
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
    const checked = await yoi(home, ["config", "check"]);
    assert.equal(checked.code, 3);
    const lines = checked.stderr.trimEnd().split("\n");
    assert.equal(lines.length, 3, checked.stderr);
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
      ],
    );
  });
});
