/** The files of a feature: what it may touch of a workspace, and every way to more than that. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type ErrorCode, type Scope, YoiError } from "@yoi/base";
import { protectionOf, scopeRule } from "@yoi/scope";
import { createScopedFiles, featureFileBytesMax, featureFiles, featureNamesMax } from "../../src/index.ts";

const canary = "CANARY-feature";
let root = "";
let workspace = "";
const at = (name: string): string => join(root, name);
const put = (name: string, content: string | Uint8Array): void => {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), content);
};

before(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-feature-files-")));
  workspace = at("ws");
  put("ws/src/a.txt", "a\n");
  put("ws/src/deep/b.txt", "grüße\n");
  put("ws/srcx/secret.txt", canary);
  put("ws/secret.txt", canary);
  put("ws/denied/secret.txt", canary);
  put("ws/out/old.txt", "old\n");
  put("ws/.git/hooks/pre-commit", canary);
  put("ws/.git/config", canary);
  put("ws/.yoi/config.toml", canary);
  put("ws/src/sub/.git/hooks/post-checkout", canary);
  put("outside/secret.txt", canary);
  put("outside/.yoi/there.txt", canary);
  put("data/keep/approvals/x.json", canary);
  put("data/spill/p/1.0.log", canary);
  put("home/.ssh/id_ed25519", canary);
  put("home/.bashrc", canary);
  symlinkSync("../secret.txt", at("ws/src/up"));
  symlinkSync(at("outside"), at("ws/src/far"));
  symlinkSync("deep", at("ws/src/near"));
  symlinkSync("src", at("ws/into"));
  symlinkSync("loop", at("ws/src/loop"));
  symlinkSync("/proc/self", at("ws/src/proc"));
  symlinkSync("/dev/zero", at("ws/src/zero"));
  symlinkSync("../../outside/new.txt", at("ws/out/dangling"));
  linkSync(at("outside/secret.txt"), at("ws/out/hard"));
  execFileSync("mkfifo", [at("ws/src/fifo")]);
});
after(() => rmSync(root, { recursive: true, force: true }));

type Grants = Parameters<typeof featureFiles>[0]["grants"];
const usual: Grants = [
  { access: "read", path: "src" },
  { access: "write", path: "out" },
];

function protection() {
  return protectionOf({
    workspace,
    home: at("home"),
    own: [at("data"), at("config")],
    spill: at("data/spill/p"),
  });
}

/** With the scope that a Pod has, and one place of it that is denied. */
function open(grants: Grants = usual, allow: Scope["allow"] = [scopeRule(workspace, "write")]) {
  const scope: Scope = { allow, deny: [scopeRule(at("ws/denied"), "read")] };
  return featureFiles({
    scope: () => scope,
    enter: () => () => {},
    protection: protection(),
    workspace,
    grants,
  });
}

function refused(code: ErrorCode, ...words: string[]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof YoiError, String(error));
    assert.equal(error.code, code, error.message);
    assert.ok(!error.message.includes(canary));
    for (const word of words) assert.ok(error.message.includes(word), `${error.message} / ${word}`);
    return true;
  };
}

/** Everything but `out`, as text; no link is followed. */
function snapshot(name = "."): string {
  const stat = lstatSync(at(name));
  if (name === "ws/out") return "";
  if (stat.isFile()) return `${name} ${stat.mode} ${readFileSync(at(name), "utf8")}\n`;
  if (!stat.isDirectory()) return `${name} ${stat.mode}\n`;
  const names = readdirSync(at(name)).sort();
  return `${name} ${stat.mode}\n${names.map((each) => snapshot(join(name, each))).join("")}`;
}

describe("A2-60: what a feature may do with what it was granted", () => {
  test("it reads, lists and replaces there, by relative and by absolute paths", async () => {
    const files = open();
    assert.equal(await files.read("src/a.txt"), "a\n");
    assert.equal(await files.read(at("ws/src/./deep//b.txt")), "grüße\n");
    // A link that stays inside leads where it leads.
    assert.equal(await files.read("src/near/b.txt"), "grüße\n");
    assert.deepEqual(await files.list("src"), [
      "a.txt",
      "deep/",
      "far",
      "fifo",
      "loop",
      "near",
      "proc",
      "sub/",
      "up",
      "zero",
    ]);
    await files.write("out/new/deep/file.txt", "new");
    await files.write("out/old.txt", "changed");
    await files.write("out/old.txt", "");
    assert.equal(await files.read("out/old.txt"), "");
    assert.equal(await files.read("out/new/deep/file.txt"), "new");
    assert.equal(readFileSync(at("ws/out/new/deep/file.txt"), "utf8"), "new");
  });

  test("a grant of one file is that file", async () => {
    const files = open([{ access: "write", path: "out/one.txt" }]);
    await files.write("out/one.txt", "1");
    assert.equal(await files.read("out/one.txt"), "1");
    await assert.rejects(files.write("out/two.txt", "2"), refused("out_of_scope"));
    await assert.rejects(files.list("out"), refused("out_of_scope"));
  });

  test("the scope is asked at the moment of use", async () => {
    let scope: Scope = { allow: [scopeRule(workspace, "write")], deny: [] };
    const files = featureFiles({
      scope: () => scope,
      enter: () => () => {},
      protection: protection(),
      workspace,
      grants: usual,
    });
    await files.write("out/lent.txt", "1");
    scope = { ...scope, deny: [scopeRule(at("ws/out"), "write")] };
    await assert.rejects(files.write("out/lent.txt", "2"), refused("out_of_scope"));
    assert.equal(await files.read("out/lent.txt"), "1");
  });
});

/** Read, list, and write, of a path that was not granted or leads out. */
const ways: readonly (readonly [string, () => string])[] = [
  ["a file beside", () => "secret.txt"],
  ["a sibling with the same start", () => "srcx/secret.txt"],
  ["the workspace", () => "."],
  ["the directory above a grant", () => workspace],
  ["the root", () => "/"],
  ["an absolute path outside", () => at("outside/secret.txt")],
  ["a new name outside", () => at("outside/new.txt")],
  ["dot dot", () => "src/../secret.txt"],
  ["dot dot at the start", () => "../outside/secret.txt"],
  ["dot dot that comes back", () => "src/../src/a.txt"],
  ["dot dot over a missing directory", () => "src/none/../../secret.txt"],
  ["a link to a file beside the grant", () => "src/up"],
  ["a link to a directory outside", () => "src/far/secret.txt"],
  ["a new name behind a link", () => "src/far/new.txt"],
  ["a link that leads into the grant", () => "into/a.txt"],
  ["a link to itself", () => "src/loop"],
  ["a process behind a link", () => "src/proc/environ"],
  ["the root behind a link", () => join("src/proc/root", at("outside/secret.txt"))],
  ["a device behind a link", () => "src/zero"],
  ["a FIFO", () => "src/fifo"],
  ["a process", () => "/proc/self/environ"],
  ["a process's root", () => `/proc/self/root${at("outside/secret.txt")}`],
  ["a device", () => "/dev/zero"],
  ["yoi's data", () => at("data/keep/approvals/x.json")],
  ["this Pod's long output", () => at("data/spill/p/1.0.log")],
  ["a key", () => at("home/.ssh/id_ed25519")],
  ["a name with NUL", () => "src/a.txt\0.md"],
  ["half a surrogate pair", () => "src/\ud800"],
  ["nothing", () => ""],
  ["a long name", () => `src/${"n".repeat(256)}`],
  ["a tilde", () => "~/.ssh/id_ed25519"],
];
/** Granted here, and read as far as the Pod may, but not written. */
const writes: readonly (readonly [string, Grants[number], () => string])[] = [
  ["with a read grant", { access: "read", path: "src" }, () => "src/a.txt"],
  ["a new file with a read grant", { access: "read", path: "src" }, () => "src/new.txt"],
  ["a hook of git", { access: "write", path: ".git" }, () => ".git/hooks/pre-commit"],
  ["a new hook of git", { access: "write", path: ".git/hooks" }, () => ".git/hooks/post-merge"],
  [
    "a hook of git that is granted by name",
    { access: "write", path: ".git/hooks/pre-commit" },
    () => ".git/hooks/pre-commit",
  ],
  ["git's configuration", { access: "write", path: ".git/config" }, () => ".git/config"],
  [
    "a hook of a repository below",
    { access: "write", path: "src/sub" },
    () => "src/sub/.git/hooks/post-checkout",
  ],
  ["yoi's project configuration", { access: "write", path: ".yoi" }, () => ".yoi/config.toml"],
  ["a new name in .yoi", { access: "write", path: ".yoi" }, () => ".yoi/new.txt"],
  ["a new name in .yoi, granted by name", { access: "write", path: ".yoi/new" }, () => ".yoi/new"],
  ["a file with two names", { access: "write", path: "out" }, () => "out/hard"],
  ["a dangling link that leads out", { access: "write", path: "out" }, () => "out/dangling"],
];

describe("A2-60: what a feature may not do, whatever it asks for", () => {
  for (const [what, path] of ways)
    test(`it reads, lists and writes nothing by ${what}`, async () => {
      const files = open([{ access: "write", path: "src" }]);
      const before_ = snapshot();
      const isRefused = (error: unknown): boolean =>
        error instanceof YoiError && ["out_of_scope", "io_failed", "usage"].includes(error.code);
      for (const attempt of [files.read(path()), files.list(path()), files.write(path(), "escaped")])
        await assert.rejects(attempt, isRefused);
      assert.equal(snapshot(), before_);
    });

  for (const [what, grant, path] of writes)
    test(`it does not write ${what}`, async () => {
      const before_ = snapshot();
      const content = lstatSync(at("ws/out/hard"));
      await assert.rejects(open([grant]).write(path(), "escaped"), refused("out_of_scope"));
      assert.equal(snapshot(), before_);
      assert.deepEqual(lstatSync(at("ws/out/hard")), content);
    });

  const beyond: readonly (readonly [string, Grants[number], () => string])[] = [
    ["a place that the Pod is denied", { access: "write", path: "denied" }, () => "denied/secret.txt"],
    ["all of the machine", { access: "write", path: "/" }, () => at("outside/secret.txt")],
    ["a directory outside", { access: "read", path: "/etc" }, () => "/etc/passwd"],
    ["the kernel's files", { access: "read", path: "/proc" }, () => "/proc/self/environ"],
  ];
  for (const [what, grant, path] of beyond)
    test(`a grant of ${what} gives no more than the Pod has`, async () => {
      for (const attempt of [open([grant]).read(path()), open([grant]).write(path(), "escaped")])
        await assert.rejects(attempt, refused("out_of_scope"));
    });

  const whole = () => [scopeRule("/", "write")];
  const hidden: readonly (readonly [string, () => string])[] = [
    ["yoi's data", () => at("data/keep/approvals/x.json")],
    ["a key", () => at("home/.ssh/id_ed25519")],
    ["a process", () => "/proc/self/environ"],
  ];
  for (const [what, path] of hidden)
    test(`${what} is out of reach, whatever the Pod and the feature were granted`, async () => {
      for (const grant of ["/", dirname(path()), path()])
        await assert.rejects(
          open([{ access: "write", path: grant }], whole()).read(path()),
          refused("out_of_scope"),
        );
    });

  test("a narrower grant opens nothing that the Pod's wider one leaves closed", async () => {
    const home = [scopeRule(at("home"), "write")];
    const bashrc: Grants = [{ access: "write", path: at("home/.bashrc") }];
    await assert.rejects(open(bashrc, home).write(at("home/.bashrc"), "x"), refused("out_of_scope"));
    // Control: with the narrower grant as the scope of the Pod itself it is open.
    const narrow = { allow: [scopeRule(at("home/.bashrc"), "write")], deny: [] };
    const own = createScopedFiles({ scope: () => narrow, protection: protection() });
    const { bytes, identity } = await own.read(at("home/.bashrc"));
    await own.write(at("home/.bashrc"), bytes, { kind: "same", identity });
    const elsewhere: Grants = [{ access: "write", path: at("outside/.yoi") }];
    const outside = [scopeRule(at("outside"), "write")];
    await assert.rejects(
      open(elsewhere, outside).write(at("outside/.yoi/new"), "x"),
      refused("out_of_scope"),
    );
  });

  test("control: with these paths granted, and the scope for them, they are read", async () => {
    const files = open([{ access: "read", path: root }], [scopeRule(root, "read")]);
    for (const path of ["secret.txt", "srcx/secret.txt", "src/up", "src/far/secret.txt", ".git/config"])
      assert.equal(await files.read(path), canary, path);
    assert.equal(await files.read(at("outside/secret.txt")), canary);
    assert.equal(await files.read("into/a.txt"), "a\n");
  });

  test("a grant that is no path is refused", () => {
    for (const path of ["../outside", "a/../../outside", "", "a\0b", `/${"n".repeat(256)}`])
      assert.throws(() => open([{ access: "read", path }]), refused("out_of_scope"));
  });

  test("what is no text is no path and no content", async () => {
    const files = open();
    for (const path of [null, 7, ["src/a.txt"], { toString: () => "src/a.txt" }, undefined])
      await assert.rejects(files.read(path as never), refused("usage"));
    for (const text of [null, 7, Buffer.from("x"), "\ud800"])
      await assert.rejects(files.write("out/x.txt", text as never), refused("usage"));
  });
});

describe("A2-60: the limits of a feature's files", () => {
  test("a file is text of at most 1 MiB, read and written", async () => {
    const files = open();
    const fits = "x".repeat(featureFileBytesMax);
    await files.write("out/large.txt", fits);
    assert.equal(await files.read("out/large.txt"), fits);
    await assert.rejects(files.write("out/large.txt", `${fits}x`), refused("limit_exceeded"));
    put("ws/out/large.txt", `${fits}x`);
    await assert.rejects(files.read("out/large.txt"), refused("limit_exceeded", String(featureFileBytesMax)));
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80]]) {
      put("ws/out/bytes", Uint8Array.from(bytes));
      await assert.rejects(files.read("out/bytes"), refused("usage", "UTF-8"));
    }
    put("ws/out/bytes", "\ufeff\0x");
    assert.equal(await files.read("out/bytes"), "\ufeff\0x");
  });

  test(`a directory has at most ${featureNamesMax} names`, async () => {
    const files = open();
    for (let n = 0; n < featureNamesMax; n += 1) put(`ws/out/many/${n}`, "");
    assert.equal((await files.list("out/many")).length, featureNamesMax);
    put("ws/out/many/more", "");
    await assert.rejects(files.list("out/many"), refused("limit_exceeded", String(featureNamesMax)));
    await assert.rejects(files.list("out/old.txt"), refused("usage"));
    await assert.rejects(files.list("out/none"), refused("io_failed"));
    await assert.rejects(files.read("out/none"), refused("io_failed"));
    await assert.rejects(files.read("out"), refused("usage"));
  });
});
