/** What can be lent and what cannot: on a real disk, each refusal beside a check by text alone, which lets it through. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { type Scope, type ScopePermission, type ScopeRule, YoiError } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { protectionOf, scopeRule, scopeRulesMax } from "@yoi/scope";
import { lendable } from "../src/index.ts";
import { checkTarget } from "../src/lendable/check-target.ts";
import { parseMountPoints } from "../src/lendable/mount-points.ts";
import { rulesOf } from "../src/scoped-files/rules.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-lendable-")));
after(() => rmSync(root, { recursive: true }));
const ws = join(root, "ws");
const { clock, timers } = nodeHost();
const at = (name: string): string => join(ws, name);
const put = (name: string, text = "x"): string => {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
  return at(name);
};

put("src/a/one.txt");
put("src/b/two.txt");
put("denied/deep/x.txt");
put(".git/hooks/pre-commit");
put(".git/config");
put(".yoi/config.toml");
put("linked.txt");
put("wt/.git", "gitdir: elsewhere\n");
put("nest/.git/HEAD");
put("../outside/secret.txt");
put("../data/locks/p.sqlite");
put("../home/.ssh/id");
put("tree/inside.txt");
put("outer/inside/f.txt");
linkSync(at("linked.txt"), at("src/linked-too.txt"));
symlinkSync("a", at("src/to-a"));
symlinkSync("src", at("to-src"));
symlinkSync(join(root, "outside"), at("out"));
symlinkSync("nowhere", at("dangling"));
execFileSync("mkfifo", [at("fifo")]);

const protection = protectionOf({
  workspace: ws,
  home: join(root, "home"),
  own: [join(root, "data")],
  spill: null,
});
const scope: Scope = {
  allow: [scopeRule(ws, "write"), scopeRule("/usr", "read"), scopeRule(join(root, "home"), "write")],
  deny: [scopeRule(at("denied/deep"), "write")],
};
const options = { scope, protection, clock, timers };

function rule(target: string, permission: ScopePermission = "write", recursive = true): ScopeRule {
  return { target, permission, recursive };
}

/** What checks nothing but text says of a target: it is below what the lender may write, so it can be lent. */
function lexically(target: string): boolean {
  return [`${ws}/`, `${join(root, "home")}/`, `${root}/data/`].some((granted) => target.startsWith(granted));
}

async function refusal(asked: readonly ScopeRule[]): Promise<string> {
  try {
    await lendable(asked, options);
  } catch (thrown) {
    assert.ok(thrown instanceof YoiError && thrown.code === "loan_refused", String(thrown));
    return thrown.message.replaceAll(root, "");
  }
  return "lent";
}

describe("lent", () => {
  for (const [name, asked, expected] of [
    ["a directory", rule(at("src/b")), rule(at("src/b"))],
    ["a file", rule(at("src/a/one.txt")), rule(at("src/a/one.txt"), "write", false)],
    ["the files of a directory", rule(at("src/a"), "write", false), rule(at("src/a"), "write", false)],
    ["a path written with a slash and a dot too many", rule(`${ws}//src/./b/`), rule(at("src/b"))],
    ["to read, what is not there yet", rule(at("later"), "read"), rule(at("later"), "read")],
    ["to read, a file with two names", rule(at("linked.txt"), "read"), rule(at("linked.txt"), "read", false)],
    ["to read, what the lender may only read", rule("/usr", "read"), rule("/usr", "read")],
    ["to read, what is denied for writing", rule(at("denied"), "read"), rule(at("denied"), "read")],
    ["a directory with a denied part", rule(at("denied")), rule(at("denied"))],
  ] as const) {
    test(name, async () => {
      assert.deepEqual((await lendable([asked], options)).rules, [expected]);
    });
  }
});

describe("refused, and let through by its text", () => {
  const link = (path: string, real: string) =>
    `"/ws/${path}" cannot be lent because it is a symbolic link, or is reached through one: name "/ws/${real}", to which it leads.`;
  const onlyRead =
    "cannot be written by this Pod itself now (its scope gives it to read, it is protected, or it is lent already): lend it to read, or name something that this Pod can write.";
  const cases: readonly (readonly [string, ScopeRule, string])[] = [
    [
      "W-37: dot dot",
      rule(`${ws}/../etc`),
      'The path to lend, "/ws/../etc", contains "..": write the path without it.',
    ],
    [
      "dot dot inside",
      rule(`${ws}/src/../src/b`),
      'The path to lend, "/ws/src/../src/b", contains "..": write the path without it.',
    ],
    ["a link", rule(at("src/to-a")), link("src/to-a", "src/a")],
    ["W-37: through a link", rule(at("to-src/b")), link("to-src/b", "src/b")],
    ["a link to read", rule(at("to-src"), "read"), link("to-src", "src")],
    ["a dangling link", rule(at("dangling"), "read"), link("dangling", "nowhere")],
    [
      "W-37: a link to outside",
      rule(at("out")),
      'The path "/ws/out", which leads to "/outside", is outside this Pod\'s scope: work on a path that the scope lists, or ask the user to add a rule for it.',
    ],
    [
      "what is not there",
      rule(at("none/deep")),
      '"/ws/none/deep" cannot be lent because it does not exist: make it, then lend it, or name what is there.',
    ],
    [
      "a file on the way",
      rule(at("linked.txt/x")),
      'The path "/ws/linked.txt/x" goes through "/ws/linked.txt", which is not a directory.',
    ],
    [
      "a FIFO",
      rule(at("fifo")),
      '"/ws/fifo" cannot be lent because it is neither a directory nor a regular file: name a directory or a file.',
    ],
    [
      "W-59: a file with two names",
      rule(at("linked.txt")),
      '"/ws/linked.txt" cannot be lent because it has 2 hard links, so writing it writes somewhere else too: replace it by a copy of itself, then lend that.',
    ],
    [
      "W-59: a tree with a file that has a name outside",
      rule(at("src")),
      '"/ws/src" cannot be lent because it holds "/ws/src/linked-too.txt", a file with 2 hard links of which only 1 is in it: lend a narrower directory without such files (uv and pnpm link what they install to their caches), or replace them by copies of themselves.',
    ],
    [
      "the files of a directory, of which one has a name outside",
      rule(at("src"), "write", false),
      '"/ws/src" cannot be lent because it holds "/ws/src/linked-too.txt", a file with 2 hard links of which only 1 is in it: lend a narrower directory without such files (uv and pnpm link what they install to their caches), or replace them by copies of themselves.',
    ],
    [
      "what is denied",
      rule(at("denied/deep")),
      `"/ws/denied/deep" ${onlyRead.replace("cannot", "cannot be lent because it cannot")}`,
    ],
    [
      "a git hook",
      rule(at(".git/hooks")),
      `"/ws/.git/hooks" ${onlyRead.replace("cannot", "cannot be lent because it cannot")}`,
    ],
    [
      "the configuration of the project",
      rule(at(".yoi/config.toml")),
      `"/ws/.yoi/config.toml" ${onlyRead.replace("cannot", "cannot be lent because it cannot")}`,
    ],
    [
      "a .git that is a file",
      rule(at("wt/.git")),
      '"/ws/wt/.git" cannot be lent because it says what git runs and where it looks: lend it to read, or lend the directory that holds it.',
    ],
    [
      "a nested .git as a whole",
      rule(at("nest/.git")),
      '"/ws/nest/.git" cannot be lent because it says what git runs and where it looks: lend it to read, or lend the directory that holds it.',
    ],
    [
      "credentials, to read",
      rule(join(root, "home/.ssh"), "read"),
      '"/home/.ssh" cannot be lent because it is outside of what this Pod holds: name a path that its scope lists.',
    ],
    [
      "yoi's own directory",
      rule(join(root, "data/locks")),
      '"/data/locks" cannot be lent because it is outside of what this Pod holds: name a path that its scope lists.',
    ],
    ["NUL", rule(`${ws}/a\0b`), 'The path to lend, "/ws/a\\u0000b", contains a NUL character.'],
    [
      "a name that is too long",
      rule(at("n".repeat(256))),
      `The path to lend, "/ws/${"n".repeat(256)}", has a name longer than 255 bytes.`,
    ],
  ];
  for (const [name, asked, message] of cases) {
    test(name, async () => {
      assert.equal(lexically(asked.target), true, "control: by its text it can be lent");
      assert.equal(await refusal([rule(at("src/b")), asked]), message);
    });
  }
  for (const [name, target, message] of [
    ["empty", "", 'The path to lend, "", is empty: give an absolute path.'],
    ["relative", "src", 'The path to lend, "src", is not absolute: start it with /.'],
    [
      "outside",
      "/etc/hosts",
      '"/etc/hosts" cannot be lent because it is outside of what this Pod holds: name a path that its scope lists.',
    ],
  ] as const) {
    test(name, async () => assert.equal(await refusal([rule(target)]), message));
  }
});

test("as many rules as a scope can have, and not one more", async () => {
  const many = (count: number) => Array.from({ length: count }, () => rule(at("src/b"), "read"));
  assert.equal(await refusal(many(scopeRulesMax)), "lent");
  assert.equal(
    await refusal(many(scopeRulesMax + 1)),
    "1025 rules cannot be lent at once, 1024 can: name directories in place of what is in them.",
  );
});

test("the way out that a refusal names is one: the file replaced by a copy, the link by what it leads to", async () => {
  put("mend/f.txt");
  linkSync(at("mend/f.txt"), at("mend-outside.txt"));
  assert.notEqual(await refusal([rule(at("mend"))]), "lent");
  writeFileSync(at("mend/copy"), "x");
  renameSync(at("mend/copy"), at("mend/f.txt"));
  assert.equal(await refusal([rule(at("mend"))]), "lent");
  assert.equal(await refusal([rule(at("src/a"))]), "lent");
});

describe("mounts", () => {
  const mounted =
    (points: readonly string[], target: string, allow = scope.allow, permission: ScopePermission = "write") =>
    () =>
      checkTarget(rule(target, permission), {
        scope: { allow, deny: [] },
        rules: rulesOf(scope, protection),
        points,
        counts: new Map(),
      });

  test("a target at, below or above a mount point; a granted one is the user's", () => {
    const inside = at("outer/inside");
    for (const target of [inside, at("outer/inside/f.txt")])
      assert.throws(
        mounted(["/", inside], target),
        /lies on another mount \("[^"]*outer\/inside"\) than "[^"]*\/ws", which was granted: name something outside of that mount/,
      );
    assert.throws(
      mounted(["/", inside], at("outer")),
      /has something mounted below it, at "[^"]*outer\/inside": name directories beside that mount\./,
    );
    assert.equal(mounted(["/", inside], at("outer"), scope.allow, "read")().kind, "directory");
    assert.equal(mounted(["/", ws], ws)().kind, "directory", "a workspace that is itself a mount");
    assert.equal(mounted(["/", ws], inside)().kind, "directory");
    assert.equal(
      mounted(["/", inside], inside, [...scope.allow, scopeRule(inside, "write")])().kind,
      "directory",
    );
    assert.equal(mounted(["/", `${at("outer")}2`, join(root, "x")], at("outer"))().kind, "directory");
  });

  test("mount points as the kernel writes them", () => {
    const text =
      "22 27 0:21 / /proc rw,relatime - proc proc rw\n36 35 98:0 /mnt1 /m\\040nt\\134\\011\\303\\274 rw shared:1 master:2 - ext3 /dev/root rw\n";
    assert.deepEqual(parseMountPoints(text), ["/proc", "/m nt\\\t\u00fc"]);
  });
});

describe("between the check and the child's first command", () => {
  const swaps: readonly (readonly [string, (place: string) => void, RegExp])[] = [
    [
      "a directory renamed and another made",
      (place) => {
        renameSync(place, `${place}-old`);
        mkdirSync(place);
      },
      /was renamed or replaced while it was being lent: look at what is there now, then lend it again\./,
    ],
    [
      "a directory replaced by a link",
      (place) => {
        renameSync(place, `${place}-old`);
        symlinkSync(join(root, "outside"), place);
      },
      /which leads to/,
    ],
    [
      "a directory gone",
      (place) => renameSync(place, `${place}-old`),
      /does not exist|was renamed or replaced/,
    ],
  ];
  for (const [index, [name, swap, message]] of swaps.entries()) {
    test(`${name}: refused by both looks, and let through by none`, async () => {
      put(`swap${index}/d/f`);
      const place = at(`swap${index}/d`);
      const lent = await lendable([rule(place), rule(at("src/b"))], options);
      await lent.confirm();
      lent.confirmTargets();
      swap(place);
      const refused = (thrown: unknown): boolean =>
        thrown instanceof YoiError && thrown.code === "loan_refused" && message.test(thrown.message);
      await assert.rejects(lent.confirm(), refused);
      assert.throws(() => lent.confirmTargets(), refused);
    });
  }

  test("a hard link that a command made while the lend waited for it is found, though the target is the same", async () => {
    put("late/f");
    const lent = await lendable([rule(at("late"))], options);
    linkSync(at("late/f"), at("late-outside"));
    await assert.rejects(lent.confirm(), /2 hard links of which only 1 is in it/);
    lent.confirmTargets();
  });
});
