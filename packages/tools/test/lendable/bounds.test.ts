/** How much of a tree a lend looks at, and how much of one a sandbox can mount: hard links, counts and times, each at its limit and one more. */
import assert from "node:assert/strict";
import { chmodSync, linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { type Scope, type ScopePermission, type ScopeRule, YoiError } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { fixedEntriesMax } from "@yoi/sandbox";
import { protectionOf, scopeRule } from "@yoi/scope";
import { lendable } from "../../src/index.ts";
import { checkHardLinks, lentLookMs } from "../../src/lendable/hard-links.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-lend-bounds-")));
after(() => rmSync(root, { recursive: true }));
const ws = join(root, "ws");
const { clock, timers } = nodeHost();
const at = (name: string): string => join(ws, name);
const put = (name: string): string => {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), "x");
  return at(name);
};
mkdirSync(join(root, "outside"));
const protection = protectionOf({ workspace: ws, home: join(root, "home"), own: [], spill: null });
const scope: Scope = { allow: [scopeRule(ws, "write"), scopeRule(join(root, "home"), "write")], deny: [] };
const options = { scope, protection, clock, timers };

function rule(target: string, permission: ScopePermission = "write", recursive = true): ScopeRule {
  return { target, permission, recursive };
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

describe("hard links of a tree", () => {
  test("two names in it are no name outside; one of them in a part that is not lent is", async () => {
    put("links/x");
    linkSync(at("links/x"), at("links/y"));
    assert.equal(await refusal([rule(at("links"))]), "lent");
    linkSync(at("links/x"), put("links/denied/y") && at("links/denied/z"));
    const partly = { ...options, scope: { ...scope, deny: [scopeRule(at("links/denied"), "write")] } };
    assert.equal(await refusal([rule(at("links"))]), "lent");
    await assert.rejects(lendable([rule(at("links"))], partly), /3 hard links of which only 2 are in it/);
  });

  test("what is protected or denied in it is not lent, so its links are nobody's business", async () => {
    for (const name of ["repo/.git/hooks/pre-push", "repo/denied/x"]) {
      put(name);
      linkSync(at(name), join(root, `outside/${name.replaceAll("/", "-")}`));
    }
    const denying = (deny: readonly ScopeRule[]) => ({ ...options, scope: { ...scope, deny } });
    const lent = await lendable([rule(at("repo"))], denying([scopeRule(at("repo/denied"), "write")]));
    assert.equal(lent.rules.length, 1);
    await assert.rejects(lendable([rule(at("repo"))], denying([])), /repo\/denied\/x/);
  });

  test("as many entries as the bound are looked at, and with one more a narrower directory is asked for", async () => {
    for (const name of ["many/1", "many/2", "many/d/3"]) put(name);
    await checkHardLinks([rule(at("many"))], { ...options, entriesMax: 4 });
    await assert.rejects(
      checkHardLinks([rule(at("many"))], { ...options, entriesMax: 3 }),
      /"[^"]*many" cannot be lent because it takes this lend over 3 entries: lend a narrower directory\./,
    );
  });

  test("the bound is of the lend: of its trees together, and each of them once", async () => {
    for (const name of ["both/a/1", "both/a/2", "both/b/1", "both/b/2"]) put(name);
    const [a, b] = [rule(at("both/a")), rule(at("both/b"))];
    const bounded = (entriesMax: number, ...lent: readonly ScopeRule[]) =>
      checkHardLinks(lent, { ...options, entriesMax });
    await bounded(4, a, b);
    await bounded(4, a, rule(at("both/a")), a, rule(at("both/a"), "write", false), b, b);
    await bounded(6, a, rule(at("both")), b);
    await assert.rejects(
      bounded(3, a, b),
      /both\/b" cannot be lent because it takes this lend over 3 entries/,
    );
    await assert.rejects(bounded(5, a, rule(at("both")), b), /both" cannot be lent because/);
    await bounded(4, rule(at("both"), "write", false), a);
  });

  test("files of a place that only a rule of its own gives to write are looked at there, under a wider rule too", async () => {
    const home = join(root, "home");
    put("../home/.cache/x");
    linkSync(join(home, ".cache/x"), at("cache-outside"));
    assert.equal(await refusal([rule(home)]), "lent", "dot files of a home directory are not lent with it");
    const granted = { ...scope, allow: [...scope.allow, rule(join(home, ".cache"))] };
    const both = lendable([rule(home), rule(join(home, ".cache"))], { ...options, scope: granted });
    await assert.rejects(both, /\.cache\/x", a file with 2 hard links/);
  });

  test("many such files are one refusal, which says how many", async () => {
    for (let index = 0; index < 4; index += 1) linkSync(put(`venv/${index}`), at(`venv-outside-${index}`));
    assert.match(
      await refusal([rule(at("venv"))]),
      /only 1 is in it, and 3 more files like it: lend a narrower/,
    );
  });

  test("a look at all trees of a lend that takes too long ends, and a narrower directory is asked for", async () => {
    for (let index = 0; index < 1100; index += 1) put(`slow/${index % 2 === 0 ? "a" : "b"}/${index}`);
    const both = [rule(at("slow/a")), rule(at("slow/b"))];
    const slow = (ms: number) => {
      let now = 0;
      return { ...options, clock: { now: () => 0, monotonic: () => (now === 0 ? ((now = ms), 0) : now) } };
    };
    await checkHardLinks(both, slow(lentLookMs));
    await assert.rejects(checkHardLinks(both, slow(lentLookMs + 1)), /write over 5 s: lend a narrower/);
  });

  test(
    "a directory that cannot be looked into",
    { skip: process.getuid?.() === 0 ? "root looks into all" : false },
    async () => {
      put("closed/in/f");
      chmodSync(at("closed/in"), 0);
      assert.match(await refusal([rule(at("closed"))]), /cannot be looked into: make that readable/);
      chmodSync(at("closed/in"), 0o755);
    },
  );
});

describe("as many as the sandbox can mount one by one, and not one more", () => {
  const limit = fixedEntriesMax;
  const fixed = `and the sandbox can mount ${limit} one by one: `;
  const whole = `${fixed}lend it with all below it, or name what is in it.`;
  const is = (what: string, why: string) => `"/ws/${what}" cannot be lent because it ${why}`;

  test("files of a directory: each is a mount of the child's", async () => {
    for (let index = 0; index < limit; index += 1) put(`files/${index}`);
    mkdirSync(at("files/directory"));
    const flat = (permission: ScopePermission) => [rule(at("files"), permission, false)];
    assert.deepEqual([await refusal(flat("write")), await refusal(flat("read"))], ["lent", "lent"]);
    put("files/more");
    const message = is("files", `has 257 files directly in it, ${whole}`);
    assert.deepEqual([await refusal(flat("write")), await refusal(flat("read"))], [message, message]);
    assert.equal(await refusal([rule(at("files"))]), "lent", "the way out");
  });

  test("directories beside what is lent: each is a mount of the lender's", async () => {
    for (let index = 0; index < limit; index += 1) mkdirSync(at(`directories/${index}`), { recursive: true });
    const one = put("directories/one");
    const flat = rule(at("directories"), "write", false);
    assert.deepEqual([await refusal([flat]), await refusal([rule(one)])], ["lent", "lent"]);
    mkdirSync(at("directories/more"));
    assert.deepEqual(
      [await refusal([flat]), await refusal([rule(one)])],
      [
        is("directories", `has 257 directories directly in it, ${whole}`),
        is(
          "directories/one",
          `lies in "/ws/directories" beside 257 directories, ${fixed}lend all of that directory, or put the file into a directory of its own.`,
        ),
      ],
    );
    assert.equal(await refusal([rule(at("directories"))]), "lent", "the way out");
    assert.equal(await refusal([rule(one, "read"), { ...flat, permission: "read" }]), "lent", "to read");
    const granted = { ...options, scope: { ...scope, allow: [rule(one)] } };
    assert.equal((await lendable([rule(one)], granted)).rules.length, 1, "a file that alone is granted");
  });
});
