/** Arguments, environment, toolchains and real paths: pure parts of the runner. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, podName } from "@yoi/base";
import { protectionOf } from "@yoi/scope";
import { isolationArgs, mountArgs } from "../src/argv.ts";
import { commandEnvironment, searchPath } from "../src/environment.ts";
import type { Mounts } from "../src/mount.ts";
import { resolveProtection } from "../src/resolve-protection.ts";
import { findToolchains } from "../src/toolchains.ts";
import { machine } from "./support.ts";

test("isolationArgs: everything is unshared and every capability dropped; the network only comes back when granted", () => {
  const always = ["--die-with-parent", "--new-session", "--unshare-all", "--unshare-user"];
  assert.deepEqual(isolationArgs({ network: false, disableUserNamespaces: false }), [
    ...always,
    "--cap-drop",
    "ALL",
  ]);
  assert.deepEqual(isolationArgs({ network: true, disableUserNamespaces: true }), [
    ...always,
    "--disable-userns",
    "--cap-drop",
    "ALL",
    "--share-net",
  ]);
});

test("mountArgs: from the top down whatever the order, odd names as they are, closed at the end", () => {
  const mounts: Mounts = new Map([
    ["/ws/a b\nc", { kind: "bind", access: "read" }],
    ["/ws", { kind: "bind", access: "write" }],
    ["/ws/.yoi", { kind: "fixed" }],
    ["/ws/x", { kind: "empty_file" }],
    ["/ws/y", { kind: "empty_file" }],
    ["/ws/--bind", { kind: "masked_file" }],
    ["/bin", { kind: "link", target: "usr/bin" }],
    ["/tmp", { kind: "private" }],
    ["/proc", { kind: "proc" }],
    ["/dev", { kind: "dev" }],
  ]);
  assert.deepEqual(mountArgs(mounts, 4), {
    args: [
      "--symlink",
      "usr/bin",
      "/bin",
      "--dev",
      "/dev",
      "--proc",
      "/proc",
      "--tmpfs",
      "/tmp",
      "--bind-try",
      "/ws",
      "/ws",
      "--ro-bind",
      "/dev/null",
      "/ws/--bind",
      "--tmpfs",
      "/ws/.yoi",
      "--ro-bind-try",
      "/ws/a b\nc",
      "/ws/a b\nc",
      "--ro-bind-data",
      "4",
      "/ws/x",
      "--ro-bind-data",
      "5",
      "/ws/y",
      "--remount-ro",
      "/ws/.yoi",
      "--remount-ro",
      "/",
    ],
    emptyFds: 2,
  });
  assert.deepEqual(mountArgs(new Map([["/", { kind: "bind", access: "read" }]]), 4), {
    args: ["--ro-bind-try", "/", "/"],
    emptyFds: 0,
  });
});

test("commandEnvironment: an allow-list, and the marks of the call", () => {
  const from = {
    PATH: "/a:.::bin:/b:/a",
    HOME: "/home/u",
    LC_ALL: "C",
    LC_X_SECRET: "x",
    ANTHROPIC_API_KEY: "sk",
    AWS_SECRET_ACCESS_KEY: "x",
    SSH_AUTH_SOCK: "/run/x",
    LD_PRELOAD: "/x.so",
    BASH_ENV: "/x",
    NODE_OPTIONS: "--require /x",
    GIT_SSH_COMMAND: "x",
    TZ: undefined,
  };
  assert.deepEqual(commandEnvironment(from, { pod: podName("p"), call: callId(4, 1) }, "0123456789ab"), {
    HOME: "/home/u",
    LC_ALL: "C",
    PATH: "/a:/b",
    YOI: "1",
    YOI_POD: "p",
    YOI_CALL: "p/4.1",
    YOI_OWNER: "0123456789ab",
  });
  assert.ok(searchPath("").includes("/usr/bin"));
});

test("findToolchains: what PATH leads to, never the home directory or more", () => {
  const around = machine({
    "/home/u/.cargo/bin/rustc": "-> ../../.rustup/bin/rustup",
    "/home/u/.rustup/bin/rustup": "x",
    "/home/u/.nvm/v24/bin/node": "x",
    "/home/u/.local/bin/tool": "-> ../share/pipx/venvs/tool/bin/tool",
    "/home/u/.local/share/pipx/venvs/tool/bin/tool": "x",
    "/home/u/bin": "dir",
    "/home/u/ws/node_modules/.bin": "dir",
    "/other/node_modules/.bin/tsc": "-> ../typescript/bin/tsc",
    "/other/node_modules/typescript/bin/tsc": "x",
    "/home/u/.nix/bin": "-> /nix/store/p/bin",
    "/nix/store/p/bin": "dir",
    "/usr/bin/x": "x",
    "/bin": "-> usr/bin",
    "/sbin-file": "x",
    "/home/u/code": "dir",
  });
  const path = [
    "/home/u/.cargo/bin",
    "/home/u/.nvm/v24/bin",
    "/home/u/.local/bin",
    "/home/u/bin",
    "/home/u/ws/node_modules/.bin",
    "/other/node_modules/.bin",
    "/home/u/.nix/bin",
    "/usr/bin",
    "/bin",
    "/missing",
    "/sbin-file",
    "relative",
    "/home",
    "/home/u",
    "/",
  ].join(":");
  assert.deepEqual(findToolchains({ path, workspace: "/home/u/ws", home: "/home/u" }, around), [
    "/home/u/.cargo",
    "/home/u/.local/bin",
    "/home/u/.local/share/pipx/venvs/tool",
    "/home/u/.nvm/v24",
    "/home/u/.rustup",
    "/home/u/bin",
    "/nix/store/p",
    "/other/node_modules",
  ]);
});

test("resolveProtection: also where a link leads, and where something missing would be made", () => {
  const around = machine({
    "/h/u/dotfiles/ssh": "dir",
    "/h/u/.ssh": "-> dotfiles/ssh",
    "/home": "-> h",
    "/h/u/ws": "dir",
    "/h/u/data": "dir",
  });
  const places = {
    workspace: "/home/u/ws",
    home: "/home/u",
    own: ["/home/u/data"],
    spill: "/home/u/data/spill/p",
  };
  const resolved = resolveProtection(protectionOf(places), around);
  assert.deepEqual(
    [resolved.workspace, resolved.home, resolved.spill],
    ["/h/u/ws", "/h/u", "/h/u/data/spill/p"],
  );
  const hidden = ["/home/u/.ssh", "/h/u/dotfiles/ssh", "/home/u/data", "/h/u/data", "/h/u/.netrc"];
  for (const path of hidden) assert.ok(resolved.hidden.includes(path), path);
});
