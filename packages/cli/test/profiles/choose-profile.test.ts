/** Profiles by name: where they are found, what they extend, and what is said of those that cannot be had. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { podName } from "@yoi/base";
import { profileDepthMax } from "@yoi/manifest";
import { resolveConfiguration } from "../../src/compose/configuration.ts";
import { checkKeptProfile } from "../../src/compose/pod-manifest.ts";
import { builtInProfiles } from "../../src/profiles/built-in-profiles.ts";
import { checkProfiles, chooseProfile, listProfiles } from "../../src/profiles/choose-profile.ts";
import { findProfiles, profileFilesMax } from "../../src/profiles/find-profiles.ts";
import { machine } from "./machine.ts";

const model = (ref: string) => `model.ref = "${ref}"\n`;

test("every profile that ships with yoi can be chosen, says what it is for, and writes nothing where it says so", async () => {
  using m = machine();
  for (const { selector, description, problem } of await listProfiles(m.environment, m.workspace)) {
    assert.deepEqual([problem, description !== ""], [undefined, true], selector);
    await chooseProfile(selector, m.environment, m.workspace);
  }
  assert.deepEqual(Object.keys(builtInProfiles), [
    "default",
    "reader",
    "solo",
    "intake",
    "orchestrator",
    "coder",
    "reviewer",
  ]);
  m.config('[[scope.allow]]\ntarget = "/srv"\npermission = "write"\n');
  const reader = await chooseProfile("reader", m.environment, m.workspace);
  const { manifest } = await resolveConfiguration(m.environment, m.workspace, {}, reader);
  assert.deepEqual(manifest.scope.deny, [{ target: "/", permission: "write", recursive: true }]);
  assert.deepEqual(
    [manifest.features.pods, manifest.features.task.enabled],
    [{ enabled: false, origin: "builtin:reader:8" }, true],
  );
});

test("the example of docs/profiles.md can be chosen, and is what that page says", async () => {
  using m = machine();
  const page = readFileSync(new URL("../../../../docs/profiles.md", import.meta.url), "utf8");
  m.user("notes", /```toml\n([^]*?)```/.exec(page)?.[1] ?? "");
  const choice = await chooseProfile("notes", m.environment, m.workspace);
  const { manifest } = await resolveConfiguration(m.environment, m.workspace, {}, choice);
  const { scope, limits, features, permissions, worker } = manifest;
  assert.deepEqual(
    scope.allow.filter(({ target }) => target.startsWith(m.workspace)),
    [
      { target: m.workspace, permission: "read", recursive: true },
      { target: join(m.workspace, "notes"), permission: "write", recursive: true },
    ],
  );
  assert.deepEqual(
    [limits.max_turns, features.task.enabled, features.pods.enabled, permissions.rules.length],
    [40, false, false, 1],
  );
  assert.match(worker.instructions[0]?.text ?? "", /^Review what changed since the last commit\./);
});

test("a profile is named with its source, or alone where that is enough; what it extends stands behind it", async () => {
  using m = machine();
  const base = m.project("base", model("project/base"));
  const review = m.project("review", `extends = "base"\n${model("project/review")}`);
  const choice = await chooseProfile("review", m.environment, m.workspace);
  assert.equal(choice.selector, "project:review");
  assert.deepEqual(
    choice.layers.map(({ source, settings }) => [source.path, source.trust, settings["model.ref"]]),
    [
      [review, "project", "project/review"],
      [base, "project", "project/base"],
    ],
  );
  assert.deepEqual(await chooseProfile("project:review", m.environment, m.workspace), choice);
});

describe("F6: a name that cannot be followed is refused, with what to do", () => {
  const refused = async (
    m: ReturnType<typeof machine>,
    selector: string,
    message: string | RegExp,
    code = "config_invalid",
  ) => assert.rejects(chooseProfile(selector, m.environment, m.workspace), { code, message });

  test("ambiguous: all qualified names are listed", async () => {
    using m = machine();
    m.user("reader", "");
    m.project("reader", "");
    await refused(
      m,
      "reader",
      "There are 3 profiles reader: say builtin:reader or user:reader or project:reader.",
    );
    assert.equal((await chooseProfile("user:reader", m.environment, m.workspace)).selector, "user:reader");
  });

  test("unknown: the nearest is named, else where they are listed; of the right source alone", async () => {
    using m = machine();
    m.user("review", "");
    await refused(m, "reveiw", "There is no profile reveiw: did you mean user:review?");
    await refused(
      m,
      "elephant",
      "There is no profile elephant: `yoi profile list` shows those that there are.",
    );
    await refused(m, "project:review", "There is no profile project:review: did you mean user:review?");
  });

  test("like a path: no file is looked for", async () => {
    using m = machine();
    for (const path of ["./x", "../config", "/etc/passwd", "user:../x", "x.toml", ""])
      await refused(m, path, /^".*" names no profile: say NAME, builtin:NAME, /, "usage");
  });

  test("a circle, and one link too many", async () => {
    using m = machine();
    m.user("a", 'extends = "b"\n');
    const b = m.user("b", 'extends = "user:a"\n');
    await refused(
      m,
      "a",
      `${b}:1: the profile user:a extends user:b extends user:a, which has no end: take one of them out.`,
    );
    for (let depth = 1; depth <= profileDepthMax; depth += 1)
      m.user(`d${depth}`, `extends = "user:d${depth - 1}"\n`);
    m.user("d0", "");
    const last = await chooseProfile(`d${profileDepthMax - 1}`, m.environment, m.workspace);
    assert.equal(last.layers.length, profileDepthMax);
    await refused(m, `d${profileDepthMax}`, /d1 extends user:d0, and one may be made of 4 files: /);
  });

  test("between the user and a workspace nothing is extended: neither chooses for the other", async () => {
    using m = machine();
    const theirs = m.project("theirs", 'extends = "user:open"\n');
    const mine = m.user("mine", 'extends = "project:theirs"\n');
    m.user("open", '[sandbox]\nmode = "off"\n');
    await refused(
      m,
      "mine",
      `${mine}:1: a profile of yours extends built-in ones and yours only, and project:theirs is neither.`,
    );
    await refused(
      m,
      "theirs",
      `${theirs}:1: a profile of a workspace extends built-in ones and the workspace's only, and user:open is neither.`,
    );
  });

  test("a fault in any of its files is that file's, with its line", async () => {
    using m = machine();
    const base = m.user("base", "\nmodell.ref = 1\n");
    m.user("mine", 'extends = "base"\n');
    await refused(m, "mine", `${base}:2: modell is not a key: did you mean model.`);
  });
});

test("the list has what cannot be chosen, and why; one bad file hides no other", async () => {
  using m = machine();
  m.user("good", 'description = "Good."\n');
  const bad = m.user("bad", "x = 1\n");
  const odd = m.user("Odd", "");
  m.user("notes.txt", "");
  const folder = join(dirname(bad), "folder.toml");
  mkdirSync(folder);
  const listed = await listProfiles(m.environment, m.workspace);
  assert.deepEqual(
    listed.filter(({ selector }) => selector.startsWith("user:")),
    [
      { selector: "user:bad", description: "", problem: `${bad}:1: x is not a key of a profile.` },
      {
        selector: "user:folder",
        description: "",
        problem: `${folder} is not a regular file: replace it by a TOML file, or remove it.`,
      },
      { selector: "user:good", description: "Good." },
      {
        selector: "user:Odd",
        description: "",
        problem: `${odd} has no name of a profile: use lower-case letters, digits, "-" and "_", at most 64.`,
      },
      {
        selector: "user:notes.txt",
        description: "",
        problem: `${join(dirname(bad), "notes.txt.toml")} has no name of a profile: use lower-case letters, digits, "-" and "_", at most 64.`,
      },
    ],
  );
  rmSync(dirname(bad), { recursive: true });
  writeFileSync(dirname(bad), "");
  const [last] = (await listProfiles(m.environment, m.workspace)).slice(-1);
  assert.deepEqual(
    [last?.selector, last?.problem],
    [
      "user:*",
      `${dirname(bad)} cannot be looked at (ENOTDIR): make it a directory that you can read, or remove it.`,
    ],
  );
});

test("checked are all files of profiles: each has what is wrong in it, or with what it extends", async () => {
  using m = machine();
  const good = m.user("good", 'description = "Good."\n');
  const bad = m.user("bad", "x = 1\ny = 2\n");
  const heir = m.user("heir", 'extends = "bad"\n');
  const theirs = m.project("theirs", 'extends = "good"\n');
  const odd = m.project("Odd", "");
  const checked = await checkProfiles(m.environment, m.workspace);
  const [x, y] = ["x", "y"].map((key, index) => `${bad}:${index + 1}: ${key} is not a key of a profile.`);
  assert.deepEqual(
    checked.map(({ path, problems }) => [path, problems.map((problem) => problem.slice(0, 220))]),
    [
      [bad, [x, y]],
      [good, []],
      [heir, [x]],
      [
        theirs,
        [
          `${theirs}:1: a profile of a workspace extends built-in ones and the workspace's only, and user:good is neither.`,
        ],
      ],
      [odd, [`${odd} has no name of a profile: use lower-case letters, digits, "-" and "_", at most 64.`]],
    ],
  );
});

test("a file that several extend is read once", async () => {
  using m = machine();
  const base = m.user("base", "");
  for (const name of ["a", "b", "c"]) m.user(name, 'extends = "base"\n');
  const { profiles } = await findProfiles(m.environment, m.workspace);
  const read = profiles.find(({ path }) => path === base)?.read;
  const first = await read?.();
  rmSync(base);
  assert.ok(first !== null && (await read?.()) === first);
});

test("so many files are looked at, and one more is said", async () => {
  using m = machine();
  for (let index = 0; index < profileFilesMax; index += 1) m.user(`p${1000 + index}`, "");
  const builtIns = Object.keys(builtInProfiles).length;
  assert.equal((await listProfiles(m.environment, m.workspace)).length, builtIns + profileFilesMax);
  m.user("q", "");
  const listed = await listProfiles(m.environment, m.workspace);
  assert.equal(listed.length, builtIns + profileFilesMax + 1);
  assert.match(listed.at(-1)?.problem ?? "", /holds 65 files, of which the first 64 are looked at/);
});

test("a Pod keeps its profile: the flag may name that one, and no other", () => {
  const name = podName("p");
  const profile = { selector: "user:review", layers: [] };
  for (const same of ["review", "user:review", undefined]) checkKeptProfile(name, same, { profile });
  for (const other of ["project:review", "reader", "../review"]) {
    assert.throws(() => checkKeptProfile(name, other, { profile }), {
      code: "usage",
      message:
        "The Pod p was started with the profile user:review, which it keeps: leave out --profile, or name another Pod.",
    });
  }
  assert.throws(() => checkKeptProfile(name, "reader", { profile: null }), {
    message: /^The Pod p was started with no profile, which it keeps: /,
  });
});
