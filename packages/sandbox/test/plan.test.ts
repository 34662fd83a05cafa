/** The plan of a sandbox, on made-up machines: what is mounted, and that no rename can bring back what was taken away. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Scope, YoiError } from "@yoi/base";
import { protectionOf, scopeRule } from "@yoi/scope";
import { planMounts } from "../src/plan.ts";
import { linesOf, machine } from "./support.ts";

const read = (target: string, recursive = true) => scopeRule(target, "read", { recursive });
const write = (target: string, recursive = true) => scopeRule(target, "write", { recursive });
const granted = (target: string) => ({ ...write(target), granted: true as const });
const usual = ["/dev dev", "/proc proc", "/tmp private"];

interface Case {
  readonly name: string;
  readonly entries: Record<string, string>;
  readonly scope: Scope;
  readonly home?: string | null;
  readonly own?: readonly string[];
  readonly spill?: string | null;
  readonly programs?: readonly string[];
  readonly network?: boolean;
  readonly workspace?: string;
  readonly expected: readonly string[];
}

const ws: Scope = { allow: [write("/ws")], deny: [] };

const cases: readonly Case[] = [
  { name: "nothing granted", entries: { "/ws": "dir" }, scope: { allow: [], deny: [] }, expected: usual },
  {
    name: "a workspace without git: .yoi takes nothing",
    entries: { "/ws": "dir" },
    scope: ws,
    expected: [...usual, "/ws bind write", "/ws/.yoi fixed"],
  },
  {
    name: "system directories that are links, a rule inside another, a missing one, one that is not canonical",
    entries: {
      "/usr/bin": "dir",
      "/bin": "-> usr/bin",
      "/lib64": "-> usr/lib64",
      "/usr/lib64": "dir",
      "/ln": "-> usr",
      "/ln2": "-> /nowhere",
    },
    scope: { allow: [read("/usr"), read("/usr/bin"), read("/bin"), read("/opt"), read("/ln/bin")], deny: [] },
    expected: [...usual, "/bin link usr/bin", "/lib64 link usr/lib64", "/usr bind read"],
  },
  {
    name: "a git directory: pinned, hooks and configuration read-only, missing ones held",
    entries: {
      "/ws/.git/hooks": "dir",
      "/ws/.git/config": "[core]",
      "/ws/.git/HEAD": "x",
      "/ws/.yoi/notes": "dir",
      "/ws/.yoi/tickets/.lock": "x",
      "/ws/.yoi/config.toml": "",
    },
    scope: ws,
    expected: [
      ...usual,
      "/ws bind write",
      "/ws/.git bind write",
      "/ws/.git/config bind read",
      "/ws/.git/config.worktree empty_file",
      "/ws/.git/hooks bind read",
      "/ws/.yoi fixed",
      "/ws/.yoi/config.toml bind read",
      "/ws/.yoi/notes bind write",
      "/ws/.yoi/tickets bind read",
      "/ws/.yoi/tickets/.lock masked_file",
    ],
  },
  {
    name: "a git directory without hooks, with a redirect",
    entries: { "/ws/.git/config": "[core]", "/ws/.git/commondir": "x", "/ws/.git/config.worktree": "" },
    scope: ws,
    expected: [
      ...usual,
      "/ws bind write",
      "/ws/.git bind write",
      "/ws/.git/commondir bind read",
      "/ws/.git/config bind read",
      "/ws/.git/config.worktree bind read",
      "/ws/.git/hooks fixed",
      "/ws/.yoi fixed",
    ],
  },
  {
    name: "git directories of worktrees and submodules are read-only as wholes",
    entries: {
      "/ws/.git/hooks": "dir",
      "/ws/.git/config": "",
      "/ws/.git/config.worktree": "",
      "/ws/.git/worktrees/w/commondir": "../..",
      "/ws/.git/modules/m/hooks": "dir",
      "/ws/.git/rebase-merge": "dir",
    },
    scope: ws,
    expected: [
      ...usual,
      "/ws bind write",
      "/ws/.git bind write",
      "/ws/.git/config bind read",
      "/ws/.git/config.worktree bind read",
      "/ws/.git/hooks bind read",
      "/ws/.git/modules bind read",
      "/ws/.git/worktrees bind read",
      "/ws/.yoi fixed",
    ],
  },
  {
    name: "links inside .git make all of it read-only, and their targets too",
    entries: { "/ws/.git/hooks": "-> ../myhooks", "/ws/myhooks": "dir", "/ws/.git/config": "" },
    scope: ws,
    expected: [...usual, "/ws bind write", "/ws/.git bind read", "/ws/.yoi fixed", "/ws/myhooks bind read"],
  },
  {
    name: "a worktree: its .git file, and the git directories that it leads to when they are writable",
    entries: {
      "/ws/.git": "gitdir: ../main/.git/worktrees/ws\n",
      "/main/.git/worktrees/ws/commondir": "../..\n",
      "/main/.git/worktrees/ws/gitdir": "/ws/.git\n",
      "/main/.git/config": "",
      "/main/.git/hooks": "dir",
    },
    scope: { allow: [write("/ws"), write("/main")], deny: [] },
    expected: [
      ...usual,
      "/main bind write",
      "/main/.git bind write",
      "/main/.git/config bind read",
      "/main/.git/config.worktree empty_file",
      "/main/.git/hooks bind read",
      "/main/.git/worktrees bind read",
      "/main/.git/worktrees/ws bind write",
      "/main/.git/worktrees/ws/commondir bind read",
      "/main/.git/worktrees/ws/config empty_file",
      "/main/.git/worktrees/ws/config.worktree empty_file",
      "/main/.git/worktrees/ws/gitdir bind read",
      "/main/.git/worktrees/ws/hooks fixed",
      "/ws bind write",
      "/ws/.git bind read",
      "/ws/.yoi fixed",
    ],
  },
  {
    name: "denies: read-only below write, nothing below read, every directory on the way pinned",
    entries: { "/ws/a/b/c": "dir", "/ws/s/t": "secret", "/usr/x/y": "dir" },
    scope: {
      allow: [write("/ws"), read("/usr"), write("/ws/a/b/c/d")],
      deny: [write("/ws/a/b/c"), read("/ws/s/t"), read("/usr/x/y")],
    },
    expected: [
      ...usual,
      "/usr bind read",
      "/usr/x/y fixed",
      "/ws bind write",
      "/ws/.yoi fixed",
      "/ws/a bind write",
      "/ws/a/b bind write",
      "/ws/a/b/c bind read",
      "/ws/s bind write",
      "/ws/s/t masked_file",
    ],
  },
  {
    name: "a denied path that is missing is held, at the first directory that is missing",
    entries: { "/ws/a": "dir" },
    scope: { allow: [write("/ws")], deny: [read("/ws/.env"), write("/ws/a/x/y")] },
    expected: [
      ...usual,
      "/ws bind write",
      "/ws/.env empty_file",
      "/ws/.yoi fixed",
      "/ws/a bind write",
      "/ws/a/x fixed",
    ],
  },
  {
    name: "a rule that is not recursive gives the files that are there",
    entries: { "/d/a": "x", "/d/sub/b": "x", "/d/l": "-> a", "/one.txt": "x" },
    scope: { allow: [write("/d", false), read("/one.txt", false)], deny: [write("/d/a")] },
    expected: [...usual, "/d fixed", "/d/a bind read", "/one.txt bind read"],
  },
  {
    name: "yoi's own directories are masked inside a grant, and this Pod's spill directory is seen",
    entries: { "/ws/.data/spill/p": "dir", "/ws/.data/locks": "dir" },
    scope: { allow: [write("/ws"), write("/ws/.data/locks")], deny: [] },
    own: ["/ws/.data"],
    spill: "/ws/.data/spill/p",
    expected: [
      ...usual,
      "/ws bind write",
      "/ws/.data fixed",
      "/ws/.data/spill/p bind read",
      "/ws/.yoi fixed",
    ],
  },
  {
    name: "a workspace inside yoi's own directory is not granted",
    entries: { "/data/ws": "dir" },
    workspace: "/data/ws",
    scope: { allow: [write("/data/ws")], deny: [] },
    own: ["/data"],
    expected: usual,
  },
  {
    name: "tickets: read-only in a clone that is lent and in a writable root elsewhere, also where a rule names them; a link there leads nowhere that is writable",
    entries: {
      "/ws/.yoi/tickets": "-> ../t",
      "/ws/t": "dir",
      "/srv/clone/.yoi/tickets/A/thread.md": "x",
      "/srv/clone/.yoi/notes": "dir",
      "/srv/other/.yoi/tickets": "dir",
    },
    scope: { allow: [write("/ws"), write("/srv/clone"), write("/srv/other/.yoi/tickets")], deny: [] },
    expected: [
      ...usual,
      "/srv/clone bind write",
      "/srv/clone/.yoi fixed",
      "/srv/clone/.yoi/notes bind write",
      "/srv/clone/.yoi/tickets bind read",
      "/srv/other/.yoi/tickets bind read",
      "/ws bind write",
      "/ws/.yoi fixed",
      "/ws/.yoi/tickets link ../t",
      "/ws/t bind read",
    ],
  },
  {
    name: "home: an empty one of its own, with a granted toolchain and without its credentials",
    entries: { "/home/u/.cargo/credentials.toml": "x", "/home/u/.ssh/id": "x" },
    home: "/home/u",
    scope: { allow: [read("/home/u/.cargo"), read("/home/u/.ssh")], deny: [] },
    expected: [
      ...usual,
      "/home/u private",
      "/home/u/.cargo bind read",
      "/home/u/.cargo/credentials.toml masked_file",
    ],
  },
  {
    name: "the home directory as workspace: no new names, dot files and programs read-only, credentials masked, way pinned",
    entries: {
      "/home/u/.bashrc": "x",
      "/home/u/.ssh/id": "x",
      "/home/u/.config/gh/hosts.yml": "x",
      "/home/u/.config/app": "dir",
      "/home/u/code/x": "dir",
      "/home/u/bin/tool": "x",
      "/home/u/go/bin/gopls": "x",
      "/home/u/notes": "x",
      "/home/u/.link": "-> code",
      "/home/u/agent.sock": "socket",
      "/home/u/.cache": "dir",
    },
    home: "/home/u",
    workspace: "/home/u",
    programs: ["/home/u/bin", "/home/u/go/bin"],
    scope: { allow: [write("/home/u"), write("/home/u/.cache"), write("/home/u/.config/app")], deny: [] },
    expected: [
      ...usual,
      "/home/u fixed",
      "/home/u/.bashrc bind read",
      "/home/u/.cache bind write",
      "/home/u/.config bind read",
      "/home/u/.config/app bind write",
      "/home/u/.config/gh fixed",
      "/home/u/.link link code",
      "/home/u/.ssh fixed",
      "/home/u/bin bind read",
      "/home/u/code bind read",
      "/home/u/go bind write",
      "/home/u/go/bin bind read",
      "/home/u/notes bind write",
    ],
  },
  {
    name: "what an answer gave below the home directory: directories of programs are read-only, also one that is missing",
    entries: { "/ws": "dir", "/home/u/p/bin/tool": "x", "/home/u/q/bin/tool": "x", "/home/u/r": "dir" },
    home: "/home/u",
    programs: ["/home/u/p/bin", "/home/u/q/bin", "/home/u/r/bin"],
    scope: { allow: [granted("/home/u/p"), write("/home/u/q"), granted("/home/u/r")], deny: [] },
    expected: [
      ...usual,
      "/home/u private",
      "/home/u/p bind write",
      "/home/u/p/bin bind read",
      "/home/u/q bind write",
      "/home/u/r bind write",
      "/home/u/r/bin fixed",
    ],
  },
  {
    name: "a file that an answer gave, and that is a directory with more files than can be mounted: left out",
    entries: Object.fromEntries(Array.from({ length: 257 }, (_, n) => [`/srv/a/${n}`, "x"])),
    scope: { allow: [{ ...granted("/srv/a"), recursive: false }], deny: [] },
    expected: usual,
  },
  {
    name: "everything granted: /proc, /dev, /tmp and /run are still the sandbox's own, /sys read-only",
    entries: { "/sys/power": "dir", "/run/docker.sock": "socket", "/etc/shadow": "x", "/etc/hosts": "x" },
    workspace: "/",
    scope: { allow: [write("/"), write("/proc"), write("/dev/shm")], deny: [] },
    expected: [
      "/ bind write",
      "/.yoi fixed",
      "/etc bind write",
      "/etc/shadow masked_file",
      "/run fixed",
      "/sys bind read",
      ...usual,
    ],
  },
  {
    name: "with network: where names are looked up",
    entries: {
      "/etc/resolv.conf": "-> ../run/systemd/resolve/stub-resolv.conf",
      "/run/systemd/resolve/stub-resolv.conf": "x",
    },
    scope: { allow: [read("/etc")], deny: [] },
    network: true,
    expected: [...usual, "/etc bind read", "/run/systemd/resolve/stub-resolv.conf bind read"],
  },
];

for (const {
  name,
  entries,
  scope,
  expected,
  home = null,
  own = [],
  spill = null,
  programs = [],
  network = false,
  workspace = "/ws",
} of cases) {
  test(`planMounts: ${name}`, () => {
    const protection = protectionOf({ workspace, home, own, spill, programs });
    assert.deepEqual(
      linesOf(planMounts({ scope, protection, network, asRoot: false }, machine(entries))),
      [...expected].toSorted(),
    );
  });
}

test("planMounts: as root the kernel's settings are read-only", () => {
  const protection = protectionOf({ workspace: "/ws", home: null, own: [], spill: null });
  const mounts = planMounts(
    { scope: { allow: [], deny: [] }, protection, network: false, asRoot: true },
    machine({}),
  );
  assert.deepEqual(linesOf(mounts), [...usual, "/proc/sys bind read"].toSorted());
});

test("planMounts: what cannot be protected is refused, with what to do", () => {
  const many = Object.fromEntries(Array.from({ length: 257 }, (_, index) => [`/ws/.yoi/${index}`, "x"]));
  const { "/ws/.yoi/0": _, ...fits } = many;
  const table: readonly [Record<string, string>, RegExp][] = [
    [{ "/ws/.git": "-> /elsewhere/.git" }, /cannot protect "\/ws\/.git" because it is a link/],
    [{ "/ws/.git": "socket" }, /special file/],
    [{ "/ws/.yoi": "-> x" }, /cannot protect "\/ws\/.yoi"/],
    [{ "/ws/.yoi": "text" }, /not a directory/],
    [many, /257 entries .* 256/],
  ];
  const plan = (entries: Record<string, string>) =>
    planMounts(
      {
        scope: ws,
        protection: protectionOf({ workspace: "/ws", home: null, own: [], spill: null }),
        network: false,
        asRoot: false,
      },
      machine(entries),
    );
  for (const [entries, message] of table) {
    assert.throws(
      () => plan(entries),
      (thrown) => thrown instanceof YoiError && message.test(thrown.message),
    );
  }
  assert.equal(plan(fits).size, 3 + 2 + 256);
});
