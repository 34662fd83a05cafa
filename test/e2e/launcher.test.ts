/** The launcher: one process under the pid that the shell started, on Node 24, with the newest of bundle and source. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  cpSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import test from "node:test";
import { runsBundle } from "../../packages/cli/src/hosting/start-detached.ts";
import { startYoi, yoiCommand } from "../support/yoi-process.ts";
import { makeLayout, type Layout } from "./installed-layout.ts";

const minimalPath = "/usr/local/bin:/usr/bin:/bin";

/** A Node of the machine that is too old for yoi, if there is one. */
function oldNode(): string | null {
  for (const folder of [...(process.env["PATH"] ?? "").split(delimiter), "/usr/bin"]) {
    const node = join(folder, "node");
    try {
      accessSync(node, constants.X_OK);
    } catch {
      continue;
    }
    const major = Number(
      execFileSync(node, ["-p", "process.versions.node.split('.')[0]"], { encoding: "utf8" }),
    );
    if (major >= 18 && major < 24) return node;
  }
  return null;
}

/** What the small program of the layout says of itself. */
function about(
  layout: Layout,
  command = layout.command,
  cwd = layout.root,
  env: Readonly<Record<string, string>> = {},
): { program: string; node: string; argv: string[]; told?: string } {
  const ran = spawnSync(command, ["one", "two words"], {
    cwd,
    encoding: "utf8",
    env: { PATH: minimalPath, ...env },
  });
  assert.equal(ran.status, 0, ran.stderr);
  return JSON.parse(ran.stdout) as { program: string; node: string; argv: string[]; told?: string };
}

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGKILL", null],
] as const) {
  test(`${signal} to the pid that the shell started reaches the runtime itself`, async () => {
    using layout = makeLayout({ pinned: true, source: false });
    const yoi = startYoi(["wait"], { command: layout.command, env: { PATH: minimalPath }, cwd: layout.root });
    await yoi.waitFor(/\n/);
    const { pid, node } = JSON.parse(yoi.output().stdout) as { pid: number; node: string };
    assert.equal(pid, yoi.pid, "the launcher did not become the runtime");
    assert.match(node, /^v24\./);
    assert.match(readlinkSync(`/proc/${pid}/exe`), /\/bin\/node$/);
    assert.equal(
      readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"),
      "",
      "it waits for a process of its own",
    );
    yoi.kill(signal);
    const ended = await yoi.ended;
    assert.deepEqual([ended.code, ended.signal], code === null ? [null, signal] : [code, null]);
    assert.equal(ended.stdout.endsWith(`${signal}\n`), code !== null);
  });
}

test("it is found through links, relative and absolute, from any directory", () => {
  using layout = makeLayout({ pinned: true, source: false });
  const folder = join(layout.root, "node_modules/.bin");
  mkdirSync(folder);
  symlinkSync(relative(folder, layout.command), join(folder, "yoi"));
  symlinkSync(join(folder, "yoi"), join(layout.root, "a link"));
  for (const command of [join(folder, "yoi"), join(layout.root, "a link")]) {
    const said = about(layout, command, "/");
    assert.deepEqual(said.argv, ["one", "two words"]);
    assert.match(said.node, /^v24\./);
  }
});

test("an installed package has only the bundle, and runs it", () => {
  using layout = makeLayout({ pinned: true, source: false });
  assert.equal(about(layout).program, "bundle");
});

test("in a checkout the bundle is used exactly when it is newer than every source", () => {
  using layout = makeLayout({ pinned: true, source: true });
  const other = join(layout.root, "packages/base/src/deep/item.ts");
  mkdirSync(dirname(other), { recursive: true });
  layout.date(layout.source, 10);
  layout.date(layout.bundle, 20);
  assert.equal(about(layout).program, "bundle");
  layout.date(layout.source, 30);
  assert.equal(about(layout).program, "source");
  layout.date(layout.source, 10);
  symlinkSync(layout.source, other); // any file below packages/*/src counts
  layout.date(other, 30);
  assert.equal(about(layout).program, "source");
});

test("a process that the bundle begins is the bundle, whatever the source is by then, and tells nobody so", () => {
  using layout = makeLayout({ pinned: true, source: true });
  layout.date(layout.bundle, 20);
  layout.date(layout.source, 30);
  const asBegunByBundle = () => about(layout, layout.command, layout.root, { [runsBundle]: "1" });
  const { program, told } = asBegunByBundle();
  assert.deepEqual([program, told], ["bundle", undefined]);
  assert.equal(about(layout).program, "source", "control: not told so, it is the source");
  rmSync(layout.bundle);
  assert.equal(asBegunByBundle().program, "source");
});

/** A program in the place of the pinned Node of `folder`. */
function plantNode(folder: string): void {
  const node = join(folder, "node_modules", `node-linux-${process.arch}`, "bin/node");
  mkdirSync(dirname(node), { recursive: true });
  writeFileSync(node, "#!/bin/sh\necho planted\n", { mode: 0o755 });
}

for (const [kind, place, own] of [
  ["a checkout", "checkout/packages/cli", "checkout"],
  ["an installed package", "project/node_modules/yoi", "project"],
  ["a package that was only unpacked", "project/package", "project/package"],
] as const) {
  test(`${kind} takes the Node that was installed with it, never one further up`, () => {
    using layout = makeLayout({ pinned: false, source: false });
    const package_ = join(layout.root, "shared", place);
    cpSync(join(layout.root, "packages/cli"), package_, { recursive: true });
    const run = () =>
      spawnSync(join(package_, "bin/yoi"), [], {
        cwd: layout.root,
        encoding: "utf8",
        env: { PATH: `${dirname(process.execPath)}:${minimalPath}` },
      }).stdout;
    plantNode(join(layout.root, "shared"));
    plantNode(layout.root);
    assert.match(run(), /"program":"bundle"/);
    plantNode(join(layout.root, "shared", own));
    assert.equal(run(), "planted\n");
  });
}

test("an old Node is named, with what to do, and exit 3", (t) => {
  const node = oldNode();
  if (node === null) return t.skip("skipped: no Node older than 24 on this machine");
  using layout = makeLayout({ pinned: false, source: false });
  const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
  for (const [command, args, path] of [
    [node, [layout.script], minimalPath],
    [layout.command, [], dirname(node)],
  ] as const) {
    const ran = spawnSync(command, args, { encoding: "utf8", env: { PATH: `${path}:${minimalPath}` } });
    assert.equal(ran.status, 3);
    assert.equal(ran.stdout, "");
    assert.equal(
      ran.stderr,
      `yoi needs Node 24.15 or newer; this is ${version}. Run it through the yoi command, or install a newer Node.\n`,
    );
  }
});

test("the repository's own command is that launcher", () => {
  accessSync(yoiCommand, constants.X_OK);
  const ran = spawnSync(yoiCommand, ["--version"], {
    encoding: "utf8",
    env: { PATH: minimalPath, YOI_HOME: "/nonexistent" },
  });
  assert.equal(ran.status, 0, ran.stderr);
});
