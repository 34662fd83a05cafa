/** What bash really runs, the gate has seen: random ways to write a command, tried with a program that only leaves a mark. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { matchesPattern } from "@yoi/manifest";
import { PermissionGate } from "@yoi/pod";

const pattern = "mark push*";
const seed = 4_071;
const cases = 160;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Ways to name the program and its first argument. */
const ways: readonly string[] = [
  "mark push",
  "mark 'push' -f",
  '\\mark pu""sh',
  "$'mark' $'\\x70ush'",
  "m=mark; $m push",
  "p=push; mark $p",
  "mark {push,-f}",
  "mark ${p:-push}",
  "mark pu\\\nsh",
  "A=1 mark push",
  "./mark push",
  "w=(mark push); ${w[@]}",
  "mark status",
];

/** Ways to have a shell come by a command. */
const around: readonly ((inner: string) => string)[] = [
  (inner) => `true; ${inner}`,
  (inner) => `false || { ${inner}; }`,
  (inner) => `(${inner})`,
  (inner) => `! { ${inner}; }`,
  (inner) => `if ${inner}; then :; fi`,
  (inner) => `for i in 1; do ${inner}; done`,
  (inner) => `while ${inner}; do break; done`,
  (inner) => `case a in *) ${inner} ;; esac`,
  (inner) => `f() { ${inner}; }; f`,
  (inner) => `echo "$(${inner})"`,
  (inner) => `: \${z:-$(${inner})}`,
  (inner) => `z=$(${inner})`,
  (inner) => `[[ -z $(${inner}) ]]`,
  (inner) => `: $((0$(${inner})))`,
  (inner) => `: <<E\n$(${inner})\nE\n:`,
  (inner) => `: < <(${inner}); wait $!`,
  (inner) => `eval ${quoted(inner)}`,
  (inner) => `bash -c ${quoted(inner)}`,
  (inner) => `env Z=1 bash -ec ${quoted(inner)}`,
  (inner) => `bash <<< ${quoted(inner)}`,
  (inner) => `bash <<'E'\n${inner}\nE`,
  (inner) => `trap ${quoted(inner)} EXIT`,
  (inner) => `z=${quoted(inner)}; eval "$z"`,
  (inner) => `z=${quoted(`a[$(${inner})]`)}; : $((z))`,
  (inner) => `z=${quoted(`$(${inner})`)}; : "\${z@P}"`,
  (inner) => `echo 1 | xargs -I{} bash -c ${quoted(inner)}`,
  (inner) => `read -r z <<< ${quoted(`a[$(${inner})]`)}; ((z))`,
  (inner) => `for z in ${quoted(`a[$(${inner})]`)}; do : $((z)); done`,
  (inner) => `set -- ${quoted(`a[$(${inner})]`)}; [[ $1 -eq 1 ]]`,
  (inner) => `z() { declare -i n=$1; }; z ${quoted(`a[$(${inner})]`)}`,
  (inner) => `set -- ${quoted(`a[$(${inner})]`)}; : \${!1}`,
  (inner) => `bash -Oc extglob ${quoted(inner)}`,
  (inner) => `bash -eoc pipefail ${quoted(inner)}`,
  (inner) => `bash /dev/../dev/stdin <<< ${quoted(inner)}`,
  (inner) => `. /dev/stdin <<< ${quoted(inner)}`,
  (inner) => `ln -sf /dev/stdin z; bash ./z <<< ${quoted(inner)}`,
  (inner) => `jobs -x bash -c ${quoted(inner)}`,
  (inner) => `shopt -s expand_aliases\nalias z=${quoted(inner)}\nz`,
  // These run nothing.
  (inner) => `: ${quoted(inner)}`,
  (inner) => `false && { ${inner}; }`,
  (inner) => `: <<'E'\n${inner}\nE\n:`,
];

const gate = new PermissionGate({
  permissions: {
    mode: "allow-in-scope",
    rules: [{ tool: "Bash", pattern, action: "deny", origin: "/c/config.toml" }],
  },
  workspace: "/w",
  locate: (path) => path,
});

async function isAllowed(command: string): Promise<boolean> {
  return (await gate.decide({ name: "Bash", args: { command }, readOnly: false })).action === "allow";
}

test(`no command that bash runs is one that the gate has not seen (${cases} cases, seed ${seed})`, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "yoi-bash-"));
  t.after(() => rm(directory, { recursive: true }));
  const program = join(directory, "mark");
  await writeFile(program, '#!/bin/sh\n[ "$1" = push ] && : > "$MARKS/ran-$CASE"\nexit 0\n');
  await chmod(program, 0o755);
  const one = fc
    .tuple(fc.constantFrom(...ways), fc.array(fc.constantFrom(...around), { minLength: 1, maxLength: 3 }))
    .map(([way, layers]) => layers.reduce((inner, layer) => layer(inner), way));
  const commands = fc.sample(one, { numRuns: cases, seed });
  const run = (command: string, index: number): Promise<void> =>
    new Promise((resolve) => {
      const env = { PATH: `${directory}:/usr/bin:/bin`, MARKS: directory, CASE: String(index) };
      const options = { cwd: directory, env, timeout: 10_000 };
      // How it ends says nothing: what it ran has left its mark.
      execFile("/bin/bash", ["--norc", "--noprofile", "-c", command], options, () => resolve());
    });
  for (let at = 0; at < commands.length; at += 4)
    await Promise.all(commands.slice(at, at + 4).map((command, offset) => run(command, at + offset)));
  const marks = new Set(await readdir(directory));
  let ran = 0;
  let passedByText = 0;
  for (const [index, command] of commands.entries()) {
    if (!marks.has(`ran-${index}`)) continue;
    ran += 1;
    if (!matchesPattern(pattern, command)) passedByText += 1;
    assert.equal(await isAllowed(command), false, JSON.stringify(command));
  }
  // The control: most did run, and by their text alone they would have.
  assert.ok(ran > cases / 2 && passedByText > cases / 2, `${ran} ran, ${passedByText} past their text`);
  assert.equal(await isAllowed("true; mark status"), true);
});
