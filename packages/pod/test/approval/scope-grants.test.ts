/** Calls that leave the scope: who is asked about what, what is never asked, and what an answer lets be touched, by whom and for how long. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type Scope, type ScopeRule, type Tool, type ToolContext, YoiError } from "@yoi/base";
import { LiveScope, permissionAt, protectionOf } from "@yoi/scope";
import type { InForce } from "../../src/approval/kept-answers.ts";
import { ScopeGrants, type ScopeGrantsOptions } from "../../src/approval/scope-grants.ts";
import { parseKeptRule } from "../../src/policy/kept-rule.ts";

const home = "/home/u";
const protection = protectionOf({ workspace: "/w", home, own: ["/yoi"], spill: null, programs: [] });
const own: Scope = {
  allow: [
    { target: "/w", permission: "write", recursive: true },
    { target: "/usr", permission: "read", recursive: true },
  ],
  deny: [{ target: "/data/never", permission: "read", recursive: true }],
};
const links: Readonly<Record<string, string>> = { "/w/link": "/data/a", "/out/link": "/data/a" };

function bench(options: Partial<ScopeGrantsOptions> = {}, more: { readonly taken?: string } = {}) {
  const live = new LiveScope(own, [
    { id: "l", scope: { allow: [{ target: "/w/lent", permission: "write", recursive: true }], deny: [] } },
  ]);
  const rows: Scope[] = [];
  const check = async (ceiling: Scope) => {
    if (more.taken !== undefined && permissionAt(ceiling, more.taken) === "write")
      throw new YoiError("scope_conflict", "the Pod other works there.");
  };
  const said: string[] = [];
  /** Those that are over when a test says so. */
  const timers: (() => void)[] = [];
  const stored: (readonly ScopeRule[])[] = [];
  const store = async (rules: readonly ScopeRule[]) => void stored.push(rules);
  const follow = (inForce: () => Promise<readonly InForce[]>) => grants.follow({ inForce }, { store });
  const grants = new ScopeGrants({
    scope: live,
    row: {
      check,
      hold: async (ceiling) => {
        await check(ceiling);
        rows.push(ceiling);
      },
    },
    workspace: "/w",
    granting: {
      protection,
      realPath: (path) => ({ path: links[path] ?? path, isDirectory: path.endsWith("/d") || path === "/" }),
    },
    isNarrowed: false,
    isChild: false,
    canAsk: true,
    timers: { after: (_, run) => (timers.push(run), () => {}) },
    warn: (text) => said.push(text),
    ...options,
  });
  return { grants, live, rows, said, timers, stored, follow };
}

const call = (name: string, path: string) => ({
  name,
  args: name === "Glob" || name === "Grep" ? { path } : { file_path: path },
  readOnly: name !== "Write" && name !== "Edit",
});

const table: readonly (readonly [string, string, readonly string[] | null])[] = [
  ["Read", "/data/a", ["read /data/a"]],
  ["Read", "/srv/data/a", ["read /srv/data/a", "read /srv/data/**"]],
  ["Write", "/srv/data/a", ["write /srv/data/a", "write /srv/data/**"]],
  ["Edit", "/usr/lib/a", ["write /usr/lib/a", "write /usr/lib/**"]],
  ["Grep", "/srv/data/d", ["read /srv/data/d/**"]],
  ["Glob", "/srv/data/a", ["read /srv/data/a", "read /srv/data/**"]],
  // Once, if at all: a rule for it would be for half the machine.
  ["Glob", "/", []],
  ["Grep", "/d", []],
  ["Glob", "/home/u/d", ["read /home/u/d/**"]],
  ["Read", `${home}/notes.txt`, [`read ${home}/notes.txt`]],
  ["Read", "/w/link", ["read /data/a"]],
  ["Read", "../out/a", ["read /out/a"]],
  // Inside, or no file tool.
  ["Read", "a", null],
  ["Write", "/w/src/a", null],
  ["Bash", "/srv/data/a", null],
  // Never asked: credentials, yoi's own, what runs at the next login, the kernel's, a deny, a loan, a link from outside, what is no path.
  ["Read", `${home}/.ssh/id_ed25519`, null],
  ["Read", "/yoi/keep/grants/x.json", null],
  ["Write", `${home}/.bashrc`, null],
  ["Read", "/proc/1/environ", null],
  ["Read", "/data/never/a", null],
  ["Write", "/w/lent/a", null],
  ["Write", "/w/.git/hooks/x", null],
  ["Read", "/out/link", null],
  // A directory is no file.
  ["Read", "/srv/data/d", null],
  ["Write", "/srv/data/d", null],
  ["Read", "/x\0", null],
];

test("what is asked about, what its answer could keep, and what is refused without a question as ever", async () => {
  const { grants } = bench();
  for (const [name, path, offers] of table) {
    const leaving = await grants.leaving(call(name, path));
    assert.deepEqual(leaving?.kind === "ask" ? leaving.offers : null, offers, `${name} ${path}`);
  }
  assert.deepEqual(await grants.leaving(call("Read", "/out/link")), {
    kind: "refused",
    reason:
      'Refused: "/out/link" leads through a link that lies outside of this Pod\'s scope, and no such link is followed: give the real path of what you want, without links. Nothing was done.',
  });
  const leaving = await grants.leaving(call("Write", "/srv/data/a"));
  assert.deepEqual(leaving?.kind === "ask" ? [leaving.wish, leaving.wants] : null, [
    { permission: "write", target: "/srv/data/a" },
    'this would write "/srv/data/a", which lies outside of this Pod\'s scope',
  ]);
});

test("nobody is asked where nobody can be, in a child, and about writing where the user narrowed it; another Pod's path is refused by its name", async () => {
  const read = call("Read", "/srv/data/a");
  const write = call("Write", "/srv/data/a");
  for (const options of [{ canAsk: false }, { isChild: true }, { granting: null }])
    assert.equal(await bench(options).grants.leaving(read), null, JSON.stringify(options));
  const narrowed = bench({ isNarrowed: true }).grants;
  assert.equal(await narrowed.leaving(write), null);
  assert.equal((await narrowed.leaving(read))?.kind, "ask");
  const { grants } = bench({}, { taken: "/srv/data/a" });
  assert.deepEqual(await grants.leaving(write), {
    kind: "refused",
    reason: "Refused: the Pod other works there. Nothing was done.",
  });
  assert.equal((await grants.leaving(read))?.kind, "ask");
});

const context = { call: callId(6, 0) } as ToolContext;
/** Sees what it may touch while it runs. */
const looker = (live: LiveScope, seen: string[]): Tool => ({
  definition: { name: "Look", description: "Looks.", input_schema: { type: "object" } },
  readOnly: true,
  execute: async (_, { call: id }) => {
    seen.push(
      `${id}: ${permissionAt(live.current, "/srv/data/a")} ${permissionAt(live.current, "/srv/data/b")}`,
    );
    return { summary: "looked" };
  },
});

test("allowed once, the one call runs with the one path, and the registry knows while it does", async () => {
  const { grants, live, rows } = bench();
  const seen: string[] = [];
  const tool = grants.guard(looker(live, seen));
  grants.allowOnce(context.call, { permission: "write", target: "/srv/data/a" }, [
    "write /srv/data/a",
    "write /srv/data/**",
  ]);
  await Promise.all([tool.execute({}, context), tool.execute({}, { ...context, call: callId(6, 1) })]);
  await tool.execute({}, context);
  assert.deepEqual(seen.toSorted(), ["6.0: none none", "6.0: write none", "6.1: none none"]);
  assert.deepEqual(
    rows.map((row) => permissionAt(row, "/srv/data/a")),
    ["write", "none"],
  );
  assert.deepEqual(live.current.allow, own.allow);
  const taken = bench({}, { taken: "/srv/data/a" });
  const theirs = taken.grants.guard(looker(taken.live, seen));
  taken.grants.allowOnce(context.call, { permission: "write", target: "/srv/data/a" }, []);
  await assert.rejects(theirs.execute({}, context), { code: "scope_conflict" });
});

const inForce = (...texts: readonly string[]): readonly InForce[] =>
  texts.flatMap((text) => {
    const rule = parseKeptRule(text);
    return rule === null ? [] : [{ by: { for: "always", id: text, rule: text }, rule }];
  });

test("a grant widens the scope for all calls and says so; taken back, it is gone with the next call; it is never lent", async () => {
  const { grants, live, rows, follow } = bench();
  let kept = inForce("write /srv/data/**", "Bash(git *)", "write /srv/data/never/**");
  await follow(async () => kept);
  const write = call("Write", "/srv/data/a");
  assert.equal(await grants.leaving(write), null);
  assert.deepEqual(grants.lets(write), [
    { for: "always", id: "write /srv/data/**", rule: "write /srv/data/**" },
  ]);
  assert.deepEqual(grants.lets(call("Write", "/w/a")), []);
  assert.equal(permissionAt(live.lendable, "/srv/data/a"), "none");
  assert.equal(permissionAt(rows.at(-1) ?? own, "/srv/data/a"), "write");
  // Neither a deny nor the protection is lifted.
  kept = inForce("write /data/**", `read ${home}/**`);
  await grants.sync();
  assert.equal(permissionAt(live.current, "/data/never/x"), "none");
  assert.equal(await grants.leaving(call("Read", `${home}/.ssh/id`)), null);
  kept = [];
  const seen: string[] = [];
  await grants.guard(looker(live, seen)).execute({}, context);
  assert.deepEqual(seen, ["6.0: none none"]);
  assert.deepEqual([live.grants.size, grants.lets(write), rows.at(-1)], [0, [], own]);
  assert.equal((await grants.leaving(write))?.kind, "ask");
});

test("where another Pod may write, a grant is left out and said once, and counts when that Pod is gone; where the user narrowed writing it is for reading", async () => {
  const more: { taken?: string } = { taken: "/srv/data/a" };
  const { grants, live, said, follow } = bench({}, more);
  await follow(async () => inForce("write /srv/data/**"));
  await grants.sync();
  assert.deepEqual(said, [
    "What you granted (write /srv/data/**) does not count in this Pod now: the Pod other works there.",
  ]);
  assert.equal(permissionAt(live.current, "/srv/data/a"), "none");
  delete more.taken;
  await grants.sync();
  assert.equal(permissionAt(live.current, "/srv/data/a"), "write");
  const narrowed = bench({ isNarrowed: true });
  await narrowed.follow(async () => inForce("write /srv/data/**"));
  assert.equal(permissionAt(narrowed.live.current, "/srv/data/a"), "read");
});

test("what was taken back while a command goes on is gone at once, and stays taken in the registry until that ends", async () => {
  const { grants, live, rows, follow, stored, timers } = bench();
  let kept = inForce("write /srv/data/**");
  await follow(async () => kept);
  const bash = { name: "Bash", args: { command: "make" }, readOnly: false };
  assert.deepEqual(grants.lets(bash), [
    { for: "always", id: "write /srv/data/**", rule: "write /srv/data/**" },
  ]);
  const rowOf = () => permissionAt(rows.at(-1) ?? own, "/srv/data/a");
  const end = live.enter("Bash");
  kept = [];
  // Nobody calls a tool: it is looked at all the same.
  timers.at(-1)?.();
  await grants.sync();
  assert.deepEqual(
    [permissionAt(live.current, "/srv/data/a"), rowOf(), stored.at(-1)?.length, grants.lets(bash)],
    ["none", "write", 1, []],
  );
  end();
  await grants.sync();
  await grants.sync();
  assert.deepEqual([rowOf(), stored.at(-1)], ["none", []]);
});

test("what is granted for writing is stored before the registry says so, and what an earlier owner stored is not kept", async () => {
  const { grants, rows, follow, stored } = bench();
  await follow(async () => inForce("write /srv/data/**", "read /srv/other/**"));
  const rule = { target: "/srv/data", permission: "write", recursive: true };
  assert.deepEqual([stored, rows.length], [[[rule]], 1]);
  await grants.sync();
  assert.deepEqual([stored.length, rows.length], [1, 1]);
  const again = bench();
  const store = async (rules: readonly ScopeRule[]) => void again.stored.push(rules);
  await again.grants.follow({ inForce: async () => [] }, { store, stored: [rule as ScopeRule] });
  assert.deepEqual(again.stored, [[]]);
  // Where the registry refuses it, nothing is stored.
  const taken = bench({}, { taken: "/srv/data/a" });
  await taken.follow(async () => inForce("write /srv/data/**"));
  assert.deepEqual([taken.stored, taken.rows], [[], []]);
});

test("once closed, nothing is taken in the registry or given back any more", async () => {
  const { grants, live, rows, follow } = bench();
  let kept = inForce("write /srv/data/**");
  await follow(async () => kept);
  const end = live.enter("Bash");
  kept = [];
  await grants.sync();
  await grants.close();
  const before = rows.length;
  end();
  kept = inForce("write /srv/data/**");
  await grants.sync();
  assert.equal(rows.length, before);
});
