/** Ways to run a command past the rules over it: none gets by, and most would by its text alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesPattern } from "@yoi/manifest";
import { indirectPushes } from "./hostile-pushes-indirect.ts";
import { pushes as directPushes } from "./hostile-pushes.ts";
import { allow, bashVerdict, deny } from "./rules.ts";

const pushes = [...directPushes, ...indirectPushes];

test("no way of running a command gets past a rule that denies it", async () => {
  const rules = [deny("git push*")];
  let hidden = 0;
  for (const command of pushes) {
    const { action } = await bashVerdict(rules, command);
    assert.notEqual(action, "allow", JSON.stringify(command));
    if (!matchesPattern("git push*", command)) hidden += 1;
  }
  assert.ok(pushes.length >= 60 && new Set(pushes).size === pushes.length);
  // The control: by their text alone nearly all of them would have passed.
  assert.ok(hidden >= pushes.length - 2, `${pushes.length - hidden} are refused by their text alone`);
});

/** Past `deny Bash(rm *)`. */
const removals: readonly string[] = [
  "cd x && rm -rf .",
  "/bin/rm -rf x",
  "r\\m -rf x",
  "find . -exec rm {} +",
  "ls | xargs rm",
  "ls | xargs -I F rm F",
  "rm$IFS-rf x",
  "rm${IFS}x",
  "rm\t-rf x",
  "sudo rm -rf /",
  "busybox rm -rf x",
  "env -i /bin/rm x",
  "bash -c 'cd x; rm -rf y'",
  'for d in *; do rm -rf "$d"; done',
  "trap 'rm -rf x' EXIT",
  "echo $(rm -rf x)",
  "[ -d x ] && rm -rf x",
  "a='-rf x'; rm $a",
  "git status; (cd x; exec rm -rf y) &",
];

test("a rule over a program's arguments is not passed either", async () => {
  const rules = [deny("rm *")];
  for (const command of removals) {
    assert.notEqual((await bashVerdict(rules, command)).action, "allow", JSON.stringify(command));
    assert.equal(matchesPattern("rm *", command), false, command);
  }
});

/** Past `allow Bash(git status*)`, where nothing else is allowed. The control: each begins as that does, and its text alone was allowed. */
const statuses: readonly string[] = [
  "git status; rm -rf x",
  "git status && git push",
  "git status || true",
  "git status | sh",
  "git status & git push",
  "git status\ngit push",
  "git status $(git push)",
  "git status `git push`",
  'git status "$(git push)"',
  "git status <(git push)",
  "git status > ~/.bashrc",
  "git status >> f",
  "git status >| f",
  "git status &> f",
  "git status >& f",
  "git status <> f",
  "git status 2> f",
  "git status > $f",
  "git status <<E\n$(git push)\nE",
  "git status ${x:-$(git push)}",
  "git status $((a[$(git push)]))",
  "git status; eval $x",
  "git status; . f",
  "git status; $x",
  "git status; f() { rm x; }",
  "git status; trap 'rm x' EXIT",
  "git status '",
  "git status\0",
  "git status; exec 3> f",
];

test("an allow of a file to write is for where the path leads", async () => {
  const rules = [allow("echo *"), allow("> /tmp/*"), allow("> out/*"), allow("cd *")];
  const table: readonly (readonly [string, boolean])[] = [
    ["echo a > /tmp/x", true],
    ["echo a > //tmp/./x", true],
    ["echo a > out/x", true],
    ["echo a > ./out/x", true],
    ["echo a > /w/out/x", true],
    ["echo a > /tmp/../w/x", false],
    ["echo a > '/tmp/../home/u/.bashrc'", false],
    ["echo a > out/../.bashrc", false],
    ['echo a > "/tmp/$NAME"', false],
    ["echo a > /tmp/*", false],
    ["cd /etc; echo a > out/x", true],
  ];
  for (const [command, isAllowed] of table)
    assert.equal((await bashVerdict(rules, command, "deny-unlisted")).action === "allow", isAllowed, command);
  assert.equal(
    (await bashVerdict([allow("echo *"), allow("> *")], "echo a > $f", "deny-unlisted")).action,
    "allow",
  );
});

test("an allow is for every part of a command, or it is none", async () => {
  const rules = [allow("git status*")];
  for (const command of statuses) {
    assert.notEqual(
      (await bashVerdict(rules, command, "deny-unlisted")).action,
      "allow",
      JSON.stringify(command),
    );
    assert.ok(matchesPattern("git status*", command), command);
  }
  for (const command of [
    "PATH=/w/bin git status",
    "LD_PRELOAD=/w/x.so git status",
    "./git status",
    "/w/usr/bin/git status",
    "git -c core.fsmonitor=/w/x status",
    "git -C /w/other status",
    "'git status'",
    "git() { rm x; }; git status",
    "env -S 'git status' x",
    "sudo git status",
    "HOME=/w/h git status",
    "HOME=/w/h; git status",
    "XDG_CONFIG_HOME=/w/x git status",
    "GIT_TRACE=/w/x git status",
    "GIT_COMMON_DIR=/w/x git status",
    "GIT_INDEX_FILE=/w/x git status",
    "NODE_OPTIONS='--require /w/x.js' git status",
    "NODE_PATH=/w git status",
    "LD_LIBRARY_PATH=/w git status",
    "npm_config_script_shell=/w/x git status",
    "MAKEFLAGS=x git status",
    "A=$(ls) git status",
    "PATH=$HOME/.x/bin:$PATH git status",
    "PATH=$HOME/.x/bin:$PATH; git status",
    "EDITOR=git; git status",
    '"$D/git" status',
    "alias git='git status'; git status",
  ]) {
    assert.notEqual((await bashVerdict(rules, command, "deny-unlisted")).action, "allow", command);
  }
});
