/** Everyday commands: rules over commands do not stand in their way. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { allow, ask, bashVerdict, deny, userFile } from "./rules.ts";

const everyday: readonly string[] = [
  "git status",
  "git add -A && git commit -m 'fix: do not git push twice'",
  'git commit -m "git push is refused now"',
  "git commit -F - <<'EOF'\nSay why git push is refused\n\n$(not run) `neither`\nEOF",
  "echo 'git push'",
  'echo "then run git push"',
  "grep -rn 'git push' src | head -20",
  "grep -c 'rm *' f; printf '%s\\n' 'git push'",
  'for f in src/*.ts; do wc -l "$f"; done',
  "for i in 1 2 3; do echo $i; done",
  "for ((i = 0; i < 3; i++)); do echo $((i * 2)); done",
  'while read -r line; do echo "$line"; done < names.txt',
  "if [ -f package.json ]; then npm test; fi",
  '[[ -d $dir && $n -gt 3 ]] && ls "$dir"',
  "cd packages/base && npm test 2>&1 | tail -n 20",
  "npm run build > /dev/null 2>&1 || echo failed",
  "cat > notes.md <<'EOF'\ngit push\nEOF",
  "cat <<EOF\nhello $USER\nEOF",
  'x=$(git rev-parse HEAD); echo "$x"',
  'echo "${HOME%/}/bin ${x:-none} ${#x} ${x//a/b}"',
  "find . -name '*.ts' -not -path './node_modules/*' | xargs wc -l",
  "find . -name '*.test.ts' -exec grep -l describe {} +",
  'find "$DIR" -type f',
  "sed -i 's/a/b/g' src/*.ts",
  "awk '{ print $1 }' f | sort | uniq -c | sort -rn",
  "ls -la *.{ts,json} 2>/dev/null",
  "tar czf out.tgz --exclude=node_modules .",
  'timeout 60 npm test -- --grep "$NAME"',
  'FOO=1 BAR="$X" node app.js',
  "env FOO=1 node app.js",
  "bash -c 'cd x && npm test'",
  "bash build.sh --fast",
  "sudo -u app systemctl status nginx",
  "diff <(sort a) <(sort b)",
  'git log --oneline -n 5 -- "$FILE"',
  "git -C sub status",
  "git --no-pager diff HEAD~1",
  "git -c color.ui=never diff",
  "git config user.name me",
  "git config --get remote.origin.pushurl",
  "git stash push -m x",
  "GIT_PAGER=cat git log",
  "GIT_EDITOR=true git rebase --continue",
  "python3 - <<'EOF'\nimport os\nprint(os.getcwd())\nEOF",
  "python3 -c \"print('git push')\"",
  "node -e 'console.log(`git push`)'",
  "curl -s https://example.org | jq .name",
  "trap 'kill $pid' EXIT; sleep 1 & pid=$!; wait",
  'greet() { echo "hello $1"; }; greet world',
  "case $1 in start) npm start ;; *) echo usage ;; esac",
  "mkdir -p a/b && cp -r src/. a/b/ && ls a",
  "export NODE_ENV=test && npm test",
  "set -euo pipefail; npm ci",
  'test -n "$CI" && echo ci',
  "kill -0 $pid 2>/dev/null && echo alive",
  "# only a comment: git push",
  "a=(1 2 3); echo ${a[@]} ${#a[@]} ${a[1]}",
  "command -v node && type git",
  'echo "pushed at $(date +%s)" >> log.txt',
  "source .venv/bin/activate && pytest -q",
  ". ./env.sh && make test",
  "set -a; . ./.env; set +a; npm start",
  'export PATH="$HOME/.local/bin:$PATH" && poetry install',
  "export PATH=$PATH:/usr/local/go/bin && go version",
  "PATH=$PATH:./node_modules/.bin eslint src",
  'sudo -E env "PATH=$PATH" make install',
  "LD_LIBRARY_PATH=build/lib ./build/foo",
  "PYTHONPATH=src python -m foo",
  "NODE_OPTIONS=--max-old-space-size=4096 npm run build",
  "MAKEFLAGS=-j8 make",
  "LESS=-FRX git log",
  "GIT_TRACE=1 git fetch",
  "GIT_DIR=.git git status",
  "env -i HOME=$HOME bash -c 'echo hi'",
  "GIT_SEQUENCE_EDITOR=\"sed -i 's/pick/squash/'\" git rebase -i HEAD~3",
  "GIT_SSH_COMMAND='ssh -i key' git fetch",
  "CC=clang make",
  "git config core.editor vim",
  "git config core.hooksPath .githooks",
  "git config alias.co checkout",
  "git -c core.pager=cat log -5",
  "git -c core.editor=true rebase --continue",
  "git clone -c core.autocrlf=false https://example.org/x",
  "git clone --depth 1 https://example.org/x",
  "git grep -n TODO",
  '"$HOME/.local/bin/uv" run pytest',
  "$HOME/.cargo/bin/cargo test",
  'eval "$(ssh-agent -s)"',
  'eval "$(direnv export bash)"',
  "alias ll='ls -l'; ll",
  "unset GIT_DIR; git status",
  "bash install.sh <<< y",
  "bash -euo pipefail -c 'npm test'",
  "x=5; ((x++)); git commit -m 'Use $(date) and $((1))'",
  "valgrind ./a.out x",
  "env -S 'node --test' a.js",
];

test("commands that have nothing to do with a denied one are allowed, whatever they say, expand or pipe", async () => {
  const rules = [deny("git push*"), ask("npm publish*"), deny("rm -rf /*")];
  for (const command of everyday)
    assert.deepEqual(await bashVerdict(rules, command), { action: "allow", reason: "" }, command);
  assert.ok(everyday.length >= 25);
});

test("where only what rules name is allowed, a command of such parts is", async () => {
  const rules = [
    "git status*",
    "git log *",
    "git diff*",
    "npm *",
    "echo *",
    "cd *",
    "cat*",
    "ls*",
    "grep *",
    "find *",
    "head *",
    "wc *",
    "xargs *",
    "timeout *",
    "> /tmp/*",
    "X=*",
    "source .venv/bin/activate && pytest",
  ].map((pattern) => allow(pattern));
  const allowed: readonly string[] = [
    "git status",
    "git status --short",
    "  git   status  ",
    "git status 'a b'",
    'git status "$DIR"',
    "git status $(git log -1 --format=%H)",
    "/usr/bin/git status",
    "git --no-pager log -5",
    "cd sub && git status",
    "npm test; npm run build",
    "npm test 2>&1 | head -5",
    "npm test > /dev/null",
    "npm test &> /dev/null",
    "npm test > /tmp/out.txt",
    'for f in *.ts; do cat "$f"; done',
    "if grep -q x f; then echo yes; else echo no; fi",
    "while npm test; do echo again; done",
    "(cd a; ls) && { cd b; ls -l; }",
    "x=1; echo $x",
    "CI=1 LC_ALL=C npm test",
    "X=1 npm test",
    "find . -name '*.ts' | xargs wc -l",
    "find . -exec grep -l x {} +",
    "timeout 60 npm test",
    "cat <<'EOF'\nrm -rf /\nEOF",
    "cat < f",
    "echo 'rm -rf /; git push'",
    'echo "$(cat f)"',
    "! grep -q x f",
    "f() { echo a; }",
    "npm test &",
    "source .venv/bin/activate && pytest",
  ];
  for (const command of allowed)
    assert.deepEqual(
      await bashVerdict(rules, command, "deny-unlisted"),
      { action: "allow", reason: "" },
      command,
    );
  assert.ok(allowed.length >= 25);
});

test("a pattern that begins with * looks for what is written, also in quotes, and nowhere else", async () => {
  const rules = [deny("*git push*")];
  const table: readonly (readonly [string, "allow" | "ask" | "deny"])[] = [
    ["echo 'git push'", "deny"],
    ["true; git  pu''sh", "deny"],
    ["git $x", "allow"],
    ["echo $HOME", "allow"],
    ["$x push", "ask"],
  ];
  for (const [command, want] of table)
    assert.equal((await bashVerdict(rules, command)).action, want, command);
});

test("of one file the first rule about a part counts, between files the strictest", async () => {
  const project = "/w/.yoi/config.toml";
  const table: readonly (readonly [Parameters<typeof bashVerdict>[0], string, "allow" | "ask" | "deny"])[] = [
    [[allow("git push --dry-run*"), deny("git push*")], "git push --dry-run", "allow"],
    [[allow("git push --dry-run*"), deny("git push*")], "true; git push --dry-run", "allow"],
    [[allow("git push --dry-run*"), deny("git push*")], "git push --dry-run; git push", "deny"],
    [[allow("git push --dry-run*"), deny("git push*", project)], "git push --dry-run", "deny"],
    [[ask("git *"), deny("git push*", project)], "git status; git push", "deny"],
    [[ask("git *"), deny("git push*")], "git push", "ask"],
    [[allow("*"), deny("git push*")], "true; git push; $x", "allow"],
    [[deny("git push*"), allow("*")], "true; git push", "deny"],
    [[deny("git push*"), allow("*")], "true; $x", "ask"],
    [[deny("*")], "true", "deny"],
    [[ask("*"), deny("git push*", project)], "$x", "ask"],
    [[deny("> /etc/*")], "echo a >> /etc/hosts", "deny"],
    [[deny("> /etc/*")], "echo a >> $f", "ask"],
    [[deny("> /etc/*")], "echo a 2>&1 > f", "allow"],
    [[deny("> /etc/*")], "echo a > //etc/x", "deny"],
    [[deny("> /etc/*")], "echo a > /tmp/../etc/x", "deny"],
    [[deny("> /etc/*")], 'echo a > "/tmp/$x"', "ask"],
    [[deny("> .env")], "echo a > ./.env", "deny"],
    [[deny("> .env")], "echo a > /w/.env", "deny"],
    [[deny("> /w/.env")], "echo a > sub/../.env", "deny"],
    [[deny("> ./.env")], "echo a > ./.env", "deny"],
    [[deny("> .env")], "echo a > /v/.env", "allow"],
    [[deny("> .env")], 'echo a > "logs/$x.log"', "allow"],
    [[{ tool: "*", pattern: "git push*", action: "deny", origin: userFile }], "true; git push", "deny"],
    [
      [{ tool: "bash", argument: "command", pattern: "git push*", action: "deny", origin: userFile }],
      "true; git push",
      "deny",
    ],
    [
      [{ tool: "Bash", argument: "timeout_s", pattern: "git push*", action: "deny", origin: userFile }],
      "$x",
      "allow",
    ],
    [[{ tool: "Write", pattern: "git push*", action: "deny", origin: userFile }], "$x; git push", "allow"],
  ];
  for (const [rules, command, want] of table)
    assert.equal(
      (await bashVerdict(rules, command)).action,
      want,
      `${command} under ${JSON.stringify(rules)}`,
    );
});

test("a refusal names the rule and the part of the command, and says of what is not known that it is not", async () => {
  const table: readonly (readonly [Parameters<typeof bashVerdict>, string])[] = [
    [
      [[deny("git push*")], "cd x; git push --force"],
      `Refused by the rule deny Bash(git push*) of ${userFile}: the command holds git push --force. Nothing was done.`,
    ],
    [
      [[ask("git push*")], "cd x; git push"],
      `Permission needed: the rule ask Bash(git push*) of ${userFile} wants a person to allow this (the command holds git push), and nobody can be asked now. Nothing was done.`,
    ],
    [
      [[deny("git push*")], 'cd x; git "$verb"'],
      `Permission needed: the rule deny Bash(git push*) of ${userFile} may be about this, and only a run would show it (the command holds git $verb), and nobody can be asked now. Nothing was done.`,
    ],
    [
      [[deny("git push*")], "$run"],
      `Permission needed: the rule deny Bash(git push*) of ${userFile} may be about this, and only a run would show it (the command runs $run, which is known only then), and nobody can be asked now. Nothing was done.`,
    ],
    [
      [[allow("ls*")], "ls; $run", "deny-unlisted"],
      "Permission needed: the permission mode deny-unlisted wants a person to allow this (the command runs $run, which is known only then), and nobody can be asked now. Nothing was done.",
    ],
    [
      [[allow("ls*")], "ls; id", "deny-unlisted"],
      "Refused by the permission mode deny-unlisted, which refuses what no rule allows: the command holds id. Nothing was done.",
    ],
    [
      [[deny("git push*")], `git push "a\n${"x".repeat(300)}"; true`],
      `Refused by the rule deny Bash(git push*) of ${userFile}: the command holds git push a\\u000a${"x".repeat(171)}.... Nothing was done.`,
    ],
  ];
  for (const [given, want] of table) assert.equal((await bashVerdict(...given)).reason, want);
});
