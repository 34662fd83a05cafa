/** Bad command lines, prompts, names and workspaces: said before anything is done. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { yoiCommand } from "../support/yoi-process.ts";
import { cases, scenario, scripted } from "./cases.ts";
import { assertFails, plant, treeOf, withoutSandboxLine, yoi } from "./machine.ts";

const seeHelp = "See `yoi --help`.";
const seeHelpOfRun = "See `yoi run --help`.";
const nameRule = 'use 1 to 64 ASCII letters, digits, "-", "_" or ".", not starting with a dot or a dash.';

describe("the command line", () => {
  const usage = { code: 2, errorCode: "usage" };
  cases([
    {
      name: "unknown option",
      args: ["run", "x", "--frob"],
      ...usage,
      says: `Unknown option '--frob'. ${seeHelpOfRun}`,
    },
    {
      name: "misspelt option",
      args: ["run", "x", "--modle", "a/b"],
      ...usage,
      says: `Unknown option '--modle': did you mean --model? ${seeHelpOfRun}`,
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
    assert.equal(
      unknown.stderr,
      `yoi: Unknown command 'frob'. As a prompt it is \`yoi ui frob\`. ${seeHelp}\n`,
    );
    const misspelt = await yoi(home, ["doctr"]);
    const meant = "did you mean doctor? As a prompt it is `yoi ui doctr`.";
    assert.equal(misspelt.stderr, `yoi: Unknown command 'doctr': ${meant} ${seeHelp}\n`);
    assert.equal(misspelt.code, 2);
  });

  test("control characters of an argument do not reach the terminal", async () => {
    using home = tempHome();
    const { stderr } = await yoi(home, ["run", "--\u001b[31mred"]);
    assert.equal(stderr, "yoi: Unknown option '--\\u001b[31mred'. See `yoi run --help`.\n");
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
  // packages/base/test/base.test.ts has every kind of bad name.
  for (const name of ["..", "a\nb", ""]) {
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
    ...["/", "/usr/.."].map((root) => ({
      name: `the root of the machine, as ${root}`,
      args: ["run", "x", "-C", root, ...scripted],
      code: 2,
      errorCode: "usage",
      says: "The workspace cannot be /, because a Pod may write all of its workspace: name a directory of a project with -C.",
    })),
  ]);

  const notAProject = { code: 2, errorCode: "usage" };
  cases([
    ...["", "/sessions/mine"].map((below) => ({
      name: `yoi's own directory${below}`,
      args: ["run", "x", "-C", `../yoi${below}`, ...scripted],
      prepare: (home: TempHome) => void mkdirSync(`${home.home}${below}`, { recursive: true }),
      ...notAProject,
      says: ({ home }: TempHome) =>
        `The workspace cannot be ${home}${below}, because ${home} holds yoi's own files: name a directory of a project with -C.`,
    })),
    {
      name: "yoi's own directory, by a link",
      args: ["run", "x", "-C", "link", ...scripted],
      prepare: (home) => symlinkSync(home.home, join(home.workspace, "link")),
      ...notAProject,
      says: /, because \S+ holds yoi's own files: name/,
    },
    ...["/proc", "/dev/shm", "/sys/kernel", "/run"].map((path) => ({
      name: path,
      args: ["run", "x", "-C", path, ...scripted],
      ...notAProject,
      says: `The workspace cannot be ${path}, because ${path.split("/", 2).join("/")} belongs to the system: name a directory of a project with -C.`,
    })),
  ]);

  const rootsOwn = { cwd: "/", code: 2, errorCode: "usage", says: /^The workspace cannot be \/,/ };
  cases([
    {
      name: "the root of the machine, as the current directory",
      args: ["run", "x", ...scripted],
      ...rootsOwn,
    },
  ]);

  test("removed under yoi's feet: what needs no directory works, the rest says so", async () => {
    using home = tempHome();
    plant(join(home.workspace, "s.yaml"), scenario);
    assert.equal((await yoi(home, ["run", "x", "--pod", "p", ...scripted])).code, 0);
    const inRemoved = (...args: readonly string[]) => {
      const gone = join(home.root, "gone");
      mkdirSync(gone);
      const line = 'rmdir "$PWD"; exec "$0" "$@"';
      const ran = spawnSync("bash", ["-c", line, yoiCommand, ...args], {
        cwd: gone,
        env: { ...home.env },
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      });
      // The shell that the launcher is has its own complaint.
      return [ran.status, withoutSandboxLine(ran.stderr.replace(/^sh: .*getcwd.*\n/gm, ""))];
    };
    for (const args of [
      ["pod", "list"],
      ["pod", "show", "p"],
      ["pod", "log", "p"],
      ["pod", "verify", "p", "--wire"],
      ["config", "show", "-C", home.workspace],
      ["pod", "rm", "p"],
      ["run", "x", "--pod", "q", "-C", home.workspace, ...scripted],
    ])
      assert.deepEqual(inRemoved(...args), [0, ""], args.join(" "));
    const says =
      "yoi: The current directory was removed: change to another one, or name a workspace with -C and its whole path.\n";
    for (const args of [
      ["run", "x"],
      ["run", "x", "-C", "here"],
      ["config", "show"],
    ])
      assert.deepEqual(inRemoved(...args), [2, says], args.join(" "));
  });

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
