/** The plan of a sandbox while parts of a scope are lent: what the lender cannot write any more, and what its borrower can. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Scope } from "@yoi/base";
import { protectionOf, scopeRule } from "@yoi/scope";
import { planMounts } from "../src/plan.ts";
import { linesOf, machine } from "./support.ts";

const read = (target: string) => scopeRule(target, "read");
const write = (target: string, recursive = true) => scopeRule(target, "write", { recursive });
const usual = ["/dev dev", "/proc proc", "/tmp private"];

const cases: readonly {
  readonly name: string;
  readonly entries: Record<string, string>;
  readonly scope: Scope;
  readonly expected: readonly string[];
}[] = [
  {
    name: "lent: two directories, and denied for good: a file",
    entries: { "/ws/a/x": "dir", "/ws/a/y/f": "x", "/ws/a/z": "dir" },
    scope: { allow: [write("/ws")], deny: [write("/ws/a/x"), write("/ws/a/y/f")] },
    expected: [
      ...usual,
      "/ws bind write",
      "/ws/.yoi fixed",
      "/ws/a bind write",
      "/ws/a/x bind read",
      "/ws/a/y bind write",
      "/ws/a/y/f bind read",
    ],
  },
  {
    name: "lent: a file, which the directory that holds it holds, because a mount on it goes when it is replaced",
    entries: { "/ws/a/f": "x", "/ws/a/beside": "x", "/ws/a/sub/g": "x", "/ws/a/shut": "dir", "/ws/b": "dir" },
    scope: { allow: [write("/ws")], deny: [write("/ws/a/shut"), write("/ws/a/f", false)] },
    expected: [
      ...usual,
      "/ws bind write",
      "/ws/.yoi fixed",
      "/ws/a bind read",
      "/ws/a/shut bind read",
      "/ws/a/sub bind write",
    ],
  },
  {
    name: "lent: a file that is not there any more, in a directory that is, and in one that is not",
    entries: { "/ws/a/sub": "dir", "/ws/b": "dir" },
    scope: { allow: [write("/ws")], deny: [write("/ws/a/f", false), write("/ws/b/gone/f", false)] },
    expected: [
      ...usual,
      "/ws bind write",
      "/ws/.yoi fixed",
      "/ws/a bind read",
      "/ws/a/sub bind write",
      "/ws/b bind write",
      "/ws/b/gone fixed",
    ],
  },
  {
    name: "lent: a file that is all that was granted",
    entries: { "/ws/a/f": "x", "/ws/a/beside": "x" },
    scope: { allow: [read("/ws"), write("/ws/a/f", false)], deny: [write("/ws/a/f", false)] },
    expected: [...usual, "/ws bind read"],
  },
  {
    name: "lent on: a loan inside of which another one is lent, to the one in between and to the first lender",
    entries: { "/ws/a/b/c": "dir" },
    scope: { allow: [read("/ws"), write("/ws/a")], deny: [write("/ws/a/b/c"), write("/ws/a/b/c")] },
    expected: [...usual, "/ws bind read", "/ws/a bind write", "/ws/a/b bind write", "/ws/a/b/c bind read"],
  },
  {
    name: "lent: all of the workspace",
    entries: { "/ws/.git/config": "", "/ws/.yoi/tickets": "dir", "/ws/a": "dir" },
    scope: { allow: [write("/ws")], deny: [write("/ws")] },
    expected: [...usual, "/ws bind read"],
  },
  {
    name: "lent: the project's directory, with what is mounted in it entry by entry",
    entries: { "/ws/.yoi/config.toml": "", "/ws/.yoi/tickets": "dir" },
    scope: { allow: [write("/ws")], deny: [write("/ws/.yoi")] },
    expected: [
      ...usual,
      "/ws bind write",
      "/ws/.yoi fixed",
      "/ws/.yoi/config.toml bind read",
      "/ws/.yoi/tickets bind read",
    ],
  },
  {
    name: "lent: what contains a grant of its own, which is not written either",
    entries: { "/ws/a/b/.git/config": "", "/ws/a/c": "dir" },
    scope: { allow: [read("/ws"), write("/ws/a/b"), write("/ws/a/c")], deny: [write("/ws/a")] },
    expected: [...usual, "/ws bind read"],
  },
  {
    name: "borrowed: a directory with a repository of its own, whose hooks and configuration are kept from the borrower",
    entries: { "/ws/a/.git/config": "", "/ws/a/.git/hooks": "dir", "/ws/a/.git/objects": "dir" },
    scope: { allow: [read("/ws"), write("/ws/a")], deny: [] },
    expected: [
      ...usual,
      "/ws bind read",
      "/ws/a bind write",
      "/ws/a/.git bind write",
      "/ws/a/.git/config bind read",
      "/ws/a/.git/config.worktree empty_file",
      "/ws/a/.git/hooks bind read",
    ],
  },
  {
    name: "lent: the files of a directory and not what is in its directories, which the lender goes on writing",
    entries: { "/ws/a/f": "x", "/ws/a/sub/g": "x", "/ws/a/l": "-> sub", "/ws/a/sub2/lent": "dir" },
    scope: { allow: [write("/ws")], deny: [write("/ws/a", false), write("/ws/a/sub2/lent")] },
    expected: [
      ...usual,
      "/ws bind write",
      "/ws/.yoi fixed",
      "/ws/a bind read",
      "/ws/a/sub bind write",
      "/ws/a/sub2 bind write",
      "/ws/a/sub2/lent bind read",
    ],
  },
  {
    name: "lent: the files of the workspace itself",
    entries: { "/ws/.git/config": "", "/ws/.git/hooks": "dir", "/ws/f": "x", "/ws/src/g": "x" },
    scope: { allow: [write("/ws")], deny: [write("/ws", false)] },
    expected: [
      ...usual,
      "/ws bind read",
      "/ws/.git bind write",
      "/ws/.git/config bind read",
      "/ws/.git/config.worktree empty_file",
      "/ws/.git/hooks bind read",
      "/ws/.yoi fixed",
      "/ws/src bind write",
    ],
  },
  {
    name: "lent: twice, all of a directory and its files alone",
    entries: { "/ws/a/sub/g": "x" },
    scope: { allow: [write("/ws")], deny: [write("/ws/a", false), write("/ws/a")] },
    expected: [...usual, "/ws bind write", "/ws/.yoi fixed", "/ws/a bind read", "/ws/a/sub bind read"],
  },
  {
    name: "lent, and meanwhile removed by the user: its place is held as the directory that it was",
    entries: { "/ws/a": "dir" },
    scope: { allow: [write("/ws")], deny: [write("/ws/a/lent")] },
    expected: [...usual, "/ws bind write", "/ws/.yoi fixed", "/ws/a bind write", "/ws/a/lent fixed"],
  },
  {
    name: "lent, and meanwhile moved by the user, who left a link: neither is written, nor the link replaced",
    entries: { "/ws/a/lent": "-> ../moved", "/ws/moved/f": "x", "/ws/a/sub": "dir", "/ws/a/f": "x" },
    scope: { allow: [write("/ws")], deny: [write("/ws/a/lent")] },
    expected: [
      ...usual,
      "/ws bind write",
      "/ws/.yoi fixed",
      "/ws/a bind read",
      "/ws/a/sub bind write",
      "/ws/moved bind read",
    ],
  },
  {
    name: "lent, and meanwhile replaced by a link to what lies beside it or nowhere",
    entries: {
      "/ws/a/lent": "-> beside",
      "/ws/a/beside/f": "x",
      "/ws/b/lent": "-> gone",
      "/ws/b/sub": "dir",
    },
    scope: { allow: [write("/ws")], deny: [write("/ws/a/lent"), write("/ws/b/lent")] },
    expected: [
      ...usual,
      "/ws bind write",
      "/ws/.yoi fixed",
      "/ws/a bind read",
      "/ws/a/beside bind read",
      "/ws/b bind read",
      "/ws/b/sub bind write",
    ],
  },
  {
    name: "borrowed: a directory in which the borrower made links of .yoi and .git; what they lead to is protected, as far as it can be written",
    entries: {
      "/ws/a/.yoi": "-> y",
      "/ws/a/y/config.toml": "",
      "/ws/a/.git": "-> g",
      "/ws/a/g/config": "",
      "/ws/a/g/hooks": "dir",
      "/ws/b/.yoi": "-> /tmp",
      "/ws/b/.git": "-> nowhere",
      "/ws/c/.yoi": "a file",
      "/ws/c/.git": "socket",
    },
    scope: { allow: [read("/ws"), write("/ws/a"), write("/ws/b"), write("/ws/c")], deny: [] },
    expected: [
      ...usual,
      "/ws bind read",
      "/ws/a bind write",
      "/ws/a/g bind write",
      "/ws/a/g/config bind read",
      "/ws/a/g/config.worktree empty_file",
      "/ws/a/g/hooks bind read",
      "/ws/a/y bind read",
      "/ws/b bind write",
      "/ws/c bind write",
    ],
  },
  {
    name: "a directory that is denied for reading, with what is mounted in it entry by entry",
    entries: { "/ws/.yoi/tickets": "dir", "/ws/.yoi/config.toml": "" },
    scope: { allow: [write("/ws")], deny: [read("/ws/.yoi")] },
    expected: [...usual, "/ws bind write", "/ws/.yoi fixed"],
  },
];

test("planMounts: more directories than can be mounted beside a lent file are refused, with what to lend", () => {
  const plan = (count: number) => {
    const entries = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`/ws/a/${index}`, "dir"]),
    );
    const protection = protectionOf({ workspace: "/ws", home: null, own: [], spill: null });
    const scope = { allow: [write("/ws")], deny: [write("/ws/a/f", false)] };
    return planMounts(
      { scope, protection, network: false, asRoot: false },
      machine({ ...entries, "/ws/a/f": "x" }),
    );
  };
  assert.equal(plan(256).size, 3 + 3 + 256);
  assert.throws(
    () => plan(257),
    /257 directories, of which the sandbox can mount 256: lend or deny one of its directories, or all of it\.$/,
  );
});

for (const { name, entries, scope, expected } of cases) {
  test(`planMounts: ${name}`, () => {
    const protection = protectionOf({ workspace: "/ws", home: null, own: [], spill: null });
    const mounts = planMounts({ scope, protection, network: false, asRoot: false }, machine(entries));
    assert.deepEqual(linesOf(mounts), [...expected].toSorted());
  });
}
