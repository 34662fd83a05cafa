/** Rules that answers keep: one format, read back as it was written; offers that say no less than they let through. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { patternCharsMax } from "@yoi/manifest";
import fc from "fast-check";
import { grantRuleCharsMax } from "../../../keep/src/grant-record.ts";
import { type KeptRule, keptRuleCharsMax, keptRuleText, parseKeptRule } from "../../src/policy/kept-rule.ts";
import { PermissionGate } from "../../src/policy/permission-gate.ts";

const gateOf = (rules: readonly { tool: string; pattern: string; action: "allow" }[] = []) =>
  new PermissionGate({
    permissions: { mode: "deny-unlisted", rules: rules.map((rule) => ({ ...rule, origin: "c" })) },
    workspace: "/w",
    locate: (path) => (path.startsWith("/w/link") ? path.replace("/w/link", "/data") : path),
  });
const bash = (command: string) => ({ name: "Bash", args: { command }, readOnly: false });

const written: readonly (readonly [string, KeptRule])[] = [
  ["Bash(git push)", { kind: "call", tool: "Bash", about: { exactly: "git push" } }],
  ["Bash(git push *)", { kind: "call", tool: "Bash", about: { pattern: "git push *" } }],
  ['Bash("ls *.ts")', { kind: "call", tool: "Bash", about: { exactly: "ls *.ts" } }],
  ['Bash("a\\nb")', { kind: "call", tool: "Bash", about: { exactly: "a\nb" } }],
  ['Bash("\\"x\\" y")', { kind: "call", tool: "Bash", about: { exactly: '"x" y' } }],
  ['Bash(echo (x) "y")', { kind: "call", tool: "Bash", about: { exactly: 'echo (x) "y"' } }],
  ["read /data", { kind: "path", rule: { target: "/data", permission: "read", recursive: false } }],
  ["write /data/**", { kind: "path", rule: { target: "/data", permission: "write", recursive: true } }],
  ['read "/a *"', { kind: "path", rule: { target: "/a *", permission: "read", recursive: false } }],
  ['read "/a?"/**', { kind: "path", rule: { target: "/a?", permission: "read", recursive: true } }],
];
const none = [
  "",
  "Bash",
  "Bash()",
  "Bash(x",
  "(x)",
  "read data",
  "write",
  'Bash("x")',
  'Bash("x"y)',
  "exec /x",
  "read  /x",
  " read /x",
  "Bash(x )",
];

test("a rule is written in one way, and only what is so written is one", () => {
  for (const [text, rule] of written) {
    assert.equal(keptRuleText(rule), text);
    assert.deepEqual(parseKeptRule(text), rule, text);
  }
  for (const text of none) assert.equal(parseKeptRule(text), null, text);
  const long = "x".repeat(keptRuleCharsMax - "Bash()".length);
  assert.notEqual(parseKeptRule(`Bash(${long})`), null);
  assert.equal(parseKeptRule(`Bash(${long}x)`), null);
});

const seed = 20_261_122;
test("any text and any path is read back as what it was, and nothing exact becomes a pattern", () => {
  const runs = 600;
  console.log(`kept rules: seed ${seed}, ${runs} runs`);
  const text = fc.string({ unit: "binary", minLength: 1, maxLength: 40 }).filter((one) => one.isWellFormed());
  fc.assert(
    fc.property(text, fc.boolean(), (about, recursive) => {
      const call: KeptRule = { kind: "call", tool: "Bash", about: { exactly: about } };
      assert.deepEqual(parseKeptRule(keptRuleText(call)), call);
      const path: KeptRule = { kind: "path", rule: { target: `/${about}`, permission: "read", recursive } };
      assert.deepEqual(parseKeptRule(keptRuleText(path)), path);
    }),
    { seed, numRuns: runs },
  );
});

const offered: readonly (readonly [string, object, readonly string[]])[] = [
  ["Bash", { command: "git add a b" }, ["Bash(git add a b)", "Bash(git add *)"]],
  ["Bash", { command: 'git commit -m "a b"' }, ['Bash(git commit -m "a b")', "Bash(git commit *)"]],
  ["Bash", { command: "ls -l" }, ["Bash(ls -l)", "Bash(ls *)"]],
  ["Bash", { command: "rm *.o" }, ['Bash("rm *.o")']],
  ["Bash", { command: "a && b" }, ["Bash(a && b)"]],
  ["Bash", { command: "echo $(rm x)" }, ["Bash(echo $(rm x))"]],
  ["Bash", { command: "echo $X" }, ["Bash(echo $X)"]],
  ["Bash", { command: "cat x > y" }, ["Bash(cat x > y)"]],
  ["Bash", { command: "python x.py" }, ["Bash(python x.py)"]],
  ["Bash", { command: "sudo ls x" }, ["Bash(sudo ls x)"]],
  ["Bash", { command: "git -C /x push" }, ["Bash(git -C /x push)"]],
  ["Bash", { command: "echo '" }, ["Bash(echo ')"]],
  // What cannot be offered as it is, for it is padded, is not offered as a pattern either.
  ["Bash", { command: `echo ${"x".repeat(4_085)}` }, [`Bash(echo ${"x".repeat(4_085)})`, "Bash(echo *)"]],
  ["Bash", { command: `echo ${"x".repeat(4_086)}` }, []],
  // Calls that do not say what they are about.
  ["Bash", { cmd: "ls" }, []],
  ["Bash", {}, []],
  ["Write", { file_path: 3 }, []],
  ["WebFetch", { href: "https://x.org/" }, []],
  ["Write", { file_path: "src/a.ts" }, ["Write(/w/src/a.ts)", "Write(/w/src/**)"]],
  ["Edit", { file_path: "/w/link/a" }, ["Edit(/data/a)", "Edit(/data/**)"]],
  ["WebFetch", { url: "https://x.org/a" }, ["WebFetch(https://x.org/a)", "WebFetch(https://x.org/*)"]],
  ["WebFetch", { url: "https://x.org/?a" }, ['WebFetch("https://x.org/?a")', "WebFetch(https://x.org/*)"]],
  ["WebFetch", { url: "https://u:p@x.org/" }, ["WebFetch(https://u:p@x.org/)"]],
  ["WebSearch", { query: "a b" }, ["WebSearch(a b)", "WebSearch(*)"]],
  ["WebSearch", { query: 3 }, []],
  ["Deploy", { to: "prod" }, ["Deploy(*)"]],
];

test("a pattern of 256 characters is offered, as one of `[permissions]` may be, and none that is longer", async () => {
  for (const [length, count] of [
    [patternCharsMax, 2],
    [patternCharsMax + 1, 1],
  ] as const) {
    const directory = `/w/${"x".repeat(length - "/w//**".length)}`;
    const call = { name: "Write", args: { file_path: `${directory}/a` }, readOnly: false };
    assert.equal((await gateOf().offers(call)).length, count, `${length}`);
  }
});

test("a rule that is offered for always can be kept: both have one limit", () => {
  assert.equal(grantRuleCharsMax, keptRuleCharsMax);
});

test("a call that does not say what it is about is refused where somebody would be asked, and judged as ever elsewhere", async () => {
  const gate = (mode: "ask" | "allow-in-scope") =>
    new PermissionGate({ permissions: { mode, rules: [] }, workspace: "/w", locate: (path) => path });
  for (const [name, args] of [
    ["Bash", { cmd: "ls" }],
    ["Write", { file_path: 3 }],
  ] as const) {
    const call = { name, args, readOnly: false };
    const said = name === "Bash" ? "command" : "file_path";
    assert.deepEqual(await gate("ask").decide(call), {
      action: "deny",
      reason: `Refused: a call of ${name} says what it is about in \`${said}\`, as a text, and this one does not. Nothing was done.`,
    });
    assert.deepEqual(await gate("allow-in-scope").decide(call), { action: "allow" });
  }
  assert.equal((await gate("ask").decide(bash("ls"))).action, "ask");
});

/** An argument of each says what is run. */
const runners = [
  "tar xf a.tar --checkpoint-action=exec=sh",
  "sort --compress-program=sh x",
  "python3.12 -c x",
  "git push --receive-pack=sh x",
  "git config alias.x !sh",
  "git grep -Osh x",
  "git rebase -x sh main",
  "git -c core.pager=sh log",
  "npm exec x",
  "npm test --script-shell=sh",
  "cargo test --config x",
  "go test -exec sh",
  "docker run x",
  "make x",
  "find . -exec sh",
  "rg --pre sh x",
  "man -P sh ls",
  "./ls x",
];

test("a command of which an argument says what is run is offered as it is, and in no wider way", async () => {
  for (const text of runners) assert.equal((await gateOf().offers(bash(text))).length, 1, text);
});

test("a pattern that holds what cannot be seen is no rule, and none is offered", async () => {
  for (const text of ["Bash(a\u001b[2J *)", "Bash(a\n*)", "Write(/w/\u202e/**)"])
    assert.equal(parseKeptRule(text), null, JSON.stringify(text));
  const offers = await gateOf().offers({
    name: "Write",
    args: { file_path: "/w/\u001b/a" },
    readOnly: false,
  });
  assert.deepEqual(offers, ['Write("/w/\\u001b/a")']);
});

test("what is offered for a call, the narrowest first", async () => {
  for (const [name, args, offers] of offered) {
    const call = { name, args: args as Record<string, string>, readOnly: false };
    assert.deepEqual(await gateOf().offers(call), offers, `${name} ${JSON.stringify(args).slice(0, 60)}`);
  }
});

/** Pieces that commands are put together from, hostile ones among them. */
const words = [
  "git",
  "push",
  "status",
  "rm",
  "-rf",
  "/",
  "x",
  "*.o",
  "$X",
  "$(rm x)",
  "`rm x`",
  "'",
  '"',
  "a b",
  "#",
  "{",
  "}",
];
const joints = [" ", " ", " ", " && ", " || ", "; ", " | ", "\n", " > ", " >> /etc/", " & ", " <<< "];
const command = fc
  .array(fc.tuple(fc.constantFrom(...words), fc.constantFrom(...joints)), { minLength: 1, maxLength: 6 })
  .map((pieces) => pieces.flat().slice(0, -1).join(""));

test("a kept rule lets no command through that the same rule in [permissions] would not", async () => {
  const runs = 400;
  console.log(`kept rules and commands: seed ${seed}, ${runs} runs`);
  let kept = 0;
  const patterns = ["git push *", "git *", "rm *", "git status *", "x *"];
  await fc.assert(
    fc.asyncProperty(command, command, fc.constantFrom(...patterns), async (asked, later, pattern) => {
      const texts = [`Bash(${pattern})`, ...(await gateOf().offers(bash(asked)))];
      for (const text of texts) {
        const rule = parseKeptRule(text);
        assert.ok(rule?.kind === "call", text);
        for (const call of [bash(asked), bash(later)]) {
          if (!(await gateOf().isKept(rule, call))) continue;
          kept += 1;
          if ("exactly" in rule.about) {
            assert.equal(call.args.command, rule.about.exactly);
            continue;
          }
          const of: string = rule.about.pattern;
          const allow = { tool: "Bash", pattern: of, action: "allow" } as const;
          assert.deepEqual(
            await gateOf([allow]).decide(call),
            { action: "allow" },
            `${text}: ${call.args.command}`,
          );
        }
      }
    }),
    { seed, numRuns: runs },
  );
  assert.ok(kept > runs, `only ${kept} calls were let through: this says nothing`);
});

test("a pattern is about all parts of a command, and about no other tool", async () => {
  const rule = parseKeptRule("Bash(git push *)");
  assert.ok(rule?.kind === "call");
  for (const [text, isKept] of [
    ["git push origin main", true],
    ["git push x && git push y", true],
    ["git push x && rm -rf /", false],
    ["git push $(rm x)", false],
    ["git push x > /etc/passwd", false],
    ["git push", false],
    ["git pull x", false],
  ] as const)
    assert.equal(await gateOf().isKept(rule, bash(text)), isKept, text);
  for (const name of ["SessionRead", "Write", "Effect"])
    assert.equal(
      await gateOf().isKept(rule, { name, args: { command: "git push x" }, readOnly: true }),
      false,
    );
});
