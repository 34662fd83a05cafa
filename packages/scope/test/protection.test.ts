/** The default scope, the protection that no scope lifts, and a scope in words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Scope } from "@yoi/base";
import { defaultScope, describeScope, permittedAt, protectionOf, type Permission } from "../src/index.ts";
import { read, write } from "./support.ts";

const places = {
  workspace: "/home/u/ws",
  home: "/home/u",
  own: ["/home/u/.local/share/yoi", "/run/user/1/yoi"],
  spill: "/home/u/.local/share/yoi/spill/p",
};

function permitted(
  scope: Scope,
  paths: readonly string[],
  over: Partial<Parameters<typeof protectionOf>[0]> = {},
): Record<string, Permission> {
  const protection = protectionOf({ ...places, ...over });
  return Object.fromEntries(paths.map((path) => [path, permittedAt(scope, protection, path)]));
}

test("permittedAt: the workspace, its git and its project files", () => {
  const expected: Record<string, Permission> = {
    "/home/u/ws/src/a.ts": "write",
    "/home/u/ws/.git": "read",
    "/home/u/ws/.git/HEAD": "write",
    "/home/u/ws/.git/hooks": "read",
    "/home/u/ws/.git/hooks/pre-commit": "read",
    "/home/u/ws/.git/config": "read",
    "/home/u/ws/.git/config.worktree": "read",
    "/home/u/ws/.git/commondir": "read",
    "/home/u/ws/.git/worktrees/w/commondir": "read",
    "/home/u/ws/.git/modules/m/hooks/post-checkout": "read",
    "/home/u/ws/.git/rebase-merge/git-rebase-todo": "read",
    "/home/u/ws/.git/rebase-apply": "read",
    "/home/u/ws/.git/configs": "write",
    "/home/u/ws/vendor/x/.git/hooks/post-checkout": "read",
    "/home/u/ws/vendor/x/.git/config": "read",
    "/home/u/ws/.gitignore": "write",
    "/home/u/ws/.yoi": "write",
    "/home/u/ws/.yoi/config.toml": "read",
    "/home/u/ws/.yoi/config.local.toml": "read",
    "/home/u/ws/.yoi/features/x/index.ts": "read",
    "/home/u/ws/.yoi/profiles": "read",
    "/home/u/ws/.yoi/tickets": "read",
    "/home/u/ws/.yoi/tickets/0123456789ABC/thread.md": "read",
    "/home/u/ws/.yoi/tickets/.gitattributes": "read",
    "/home/u/ws/.yoi/tickets/.lock": "none",
    "/home/u/ws/.YOI/TICKETS/.Lock": "none",
    "/home/u/ws/.YOI/TICKETS/0123456789ABC/item.md": "read",
    "/home/u/ws/.yoi-work/0123456789ABC/.yoi/tickets/0123456789ABC/thread.md": "read",
    "/home/u/ws/.yoi-work/0123456789ABC/.yoi/tickets/.lock": "none",
    "/home/u/ws/.yoi/tickets.md": "write",
    "/home/u/ws/tickets/.lock": "write",
    "/home/u/ws/sub/.yoi/config.toml": "read",
    "/home/u/ws/sub/.YOI/Features/x/index.ts": "read",
    "/home/u/ws/sub/.yoi/notes.md": "write",
    "/home/u/ws/sub/.yoi": "write",
    "/home/u": "none",
    "/home/u/other": "none",
  };
  assert.deepEqual(permitted({ allow: [write("/home/u/ws")], deny: [] }, Object.keys(expected)), expected);
});

test("permittedAt: nothing lifts the protection, and only this Pod's spill directory is readable", () => {
  const expected: Record<string, Permission> = {
    "/home/u/.ssh": "none",
    "/home/u/.ssh/id_ed25519": "none",
    "/home/u/.aws/credentials": "none",
    "/home/u/.netrc": "none",
    "/home/u/.local/share/yoi": "none",
    "/home/u/.local/share/yoi/locks/p.sqlite": "none",
    "/home/u/.local/share/yoi/spill/p": "read",
    "/home/u/.local/share/yoi/spill/p/3.0.log": "read",
    "/home/u/.local/share/yoi/spill/q/3.0.log": "none",
    "/run/user/1/yoi/s/x": "none",
    "/proc/self/environ": "none",
    "/dev/sda": "none",
    "/etc/shadow": "none",
    "/sys/power/state": "read",
    "/etc/hosts": "write",
  };
  const everything: Scope = {
    allow: [
      write("/"),
      write("/home/u/.ssh"),
      write("/home/u/.local/share/yoi/locks"),
      write("/run/user/1/yoi/s/x"),
    ],
    deny: [],
  };
  assert.deepEqual(permitted(everything, Object.keys(expected)), expected);
});

test("permittedAt: a grant of the home directory leaves its dot files and programs alone; a grant of one of them counts", () => {
  const expected: Record<string, Permission> = {
    "/home/u/notes.txt": "write",
    "/home/u/.bashrc": "read",
    "/home/u/.config/fish/config.fish": "read",
    "/home/u/bin/git": "read",
    "/home/u/.cache/x": "write",
    "/home/u/ws/.env": "write",
  };
  const scope: Scope = { allow: [write("/home/u"), write("/home/u/.cache"), write("/home/u/ws")], deny: [] };
  assert.deepEqual(permitted(scope, Object.keys(expected), { programs: ["/home/u/bin"] }), expected);
  assert.equal(
    permitted({ allow: [write("/")], deny: [] }, ["/home/u/.profile"])["/home/u/.profile"],
    "read",
  );
});

test("permittedAt: what an answer gave opens no directory of programs in the home directory, nor a dot file there (control: the same by configuration)", () => {
  const paths = ["/home/u/p/bin/tool", "/home/u/p/a", "/home/u/.app/x", "/srv/bin/tool"];
  const programs = ["/home/u/p/bin", "/srv/bin"];
  const rules = [write("/home/u/p"), write("/home/u/.app"), write("/srv")];
  const granted = rules.map((rule) => ({ ...rule, granted: true as const }));
  const of = (allow: Scope["allow"]) => Object.values(permitted({ allow, deny: [] }, paths, { programs }));
  assert.deepEqual(of(granted), ["read", "write", "read", "write"]);
  assert.deepEqual(of(rules), ["write", "write", "write", "write"]);
});

test("defaultScope: the workspace, the system, and toolchains that are not half the machine", () => {
  const scope = defaultScope({
    workspace: "/home/u/ws",
    home: "/home/u",
    toolchains: [
      "/",
      "/home",
      "/home/u",
      "/home/u/.cargo",
      "/home/u/.cargo/bin",
      "/home/u/ws/node_modules",
      "/usr/local",
      "/nix",
    ],
  });
  assert.deepEqual(scope, {
    allow: [
      write("/home/u/ws"),
      ...[
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib32",
        "/lib64",
        "/libx32",
        "/etc",
        "/opt",
        "/home/u/.cargo",
        "/nix",
      ].map((path) => read(path)),
    ],
    deny: [],
  });
});

test("describeScope: denies are shown, names cannot forge a line", () => {
  assert.equal(describeScope({ allow: [], deny: [] }), "No file may be read or written.");
  const scope: Scope = {
    allow: [write("/ws"), read("/usr"), write("/lent"), read("/x", false), read("/a\n- /b"), write("/gone")],
    deny: [write("/lent"), read("/ws/.env"), read("/gone")],
  };
  assert.equal(
    describeScope(scope),
    [
      "Writable (and readable):",
      "- /ws",
      "Readable only:",
      "- /usr",
      "- /lent",
      "- /x (itself and its direct children only)",
      "- /a\\u000a- /b",
      "Never writable:",
      "- /lent",
      "Neither readable nor writable:",
      "- /ws/.env",
      "- /gone",
    ].join("\n"),
  );
});
