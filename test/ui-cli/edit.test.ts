/** The editor on a text: a real program, a file that is the user's alone while it runs, and nothing left behind. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { nodeHost } from "@yoi/host";
import { editedBytesMax, editText } from "../../packages/cli/src/ui/edit.ts";
import { tempHome } from "../support/temp-home.ts";

const cases: readonly (readonly [what: string, script: string, left: string | null])[] = [
  [
    "a text that is changed comes back, without the line end that editors add",
    'printf "%s and more\\n" "$(cat "$1")" >"$1"',
    "draft and more",
  ],
  ["one that is replaced by another file comes back too", 'echo new >"$1.new" && mv "$1.new" "$1"', "new"],
  ["as it was: nothing", ":", null],
  [
    "the file is the user's alone",
    'test "$(stat -c %a "$1" "${1%/*}" | tr "\\n" " ")" = "600 700 " && echo private >"$1"',
    "private",
  ],
];

test("an editor", async (t) => {
  using home = tempHome();
  const script = join(home.root, "editor.sh");
  for (const [what, text, left] of cases) {
    await t.test(what, async () => {
      writeFileSync(script, text);
      const options = { host: nodeHost(), directory: home.home, stdio: "ignore" } as const;
      assert.equal(await editText("draft", { ...options, editor: ["sh", script] }), left);
      assert.deepEqual(readdirSync(home.home), [], "nothing is left behind");
    });
  }
});

const failing: readonly (readonly [what: string, script: string, why: RegExp, kept: string | null])[] = [
  ["fails", "exit 1", /ended with exit 1: the text here is as it was\.$/, null],
  ["fails, and has saved", 'echo new >"$1"; exit 1', /exit 1: .*; what it saved is in /, "new\n"],
  ["is killed, and has saved", 'echo new >"$1"; kill -9 $$', /ended with SIGKILL: .* is in /, "new\n"],
  ["removes its file", 'rm "$1"', /left no file behind: the text here is as it was\.$/, null],
  ["saves no UTF-8", 'printf "a\\377" >"$1"', /no UTF-8: .* is in /, "a\ufffd"],
  [
    "saves too much",
    `head -c ${editedBytesMax + 1} /dev/zero >"$1"`,
    /more than 1048576 bytes: .* is in /,
    "",
  ],
];

test("an editor that fails takes nothing away, and what it saved is kept", async (t) => {
  using home = tempHome();
  const script = join(home.root, "editor.sh");
  const options = { host: nodeHost(), directory: home.home, stdio: "ignore" } as const;
  for (const [what, text, why, kept] of failing) {
    await t.test(what, async () => {
      writeFileSync(script, text);
      await assert.rejects(editText("draft", { ...options, editor: ["sh", script] }), why);
      const [left, ...others] = readdirSync(home.home);
      assert.deepEqual([left !== undefined, others], [kept !== null, []]);
      if (left === undefined || kept === null) return;
      const path = join(home.home, left, "prompt.md");
      if (kept !== "") assert.equal(readFileSync(path, "utf8"), kept);
      // After a week nobody looks for it any more: the next editor takes it away.
      const old = Date.now() / 1_000 - 7 * 24 * 60 * 60 - 60;
      utimesSync(join(home.home, left), old, old);
      writeFileSync(script, ":");
      await editText("draft", { ...options, editor: ["sh", script] });
      assert.deepEqual(readdirSync(home.home), []);
    });
  }
  await t.test("one that is not there", async () => {
    const editor = [join(home.root, "none")];
    await assert.rejects(editText("draft", { ...options, editor }), /cannot be started .*VISUAL or EDITOR/);
    assert.deepEqual(readdirSync(home.home), []);
  });
  await t.test("as much as may be saved is taken", async () => {
    writeFileSync(script, `head -c ${editedBytesMax} /dev/zero >"$1"`);
    assert.equal((await editText("draft", { ...options, editor: ["sh", script] }))?.length, editedBytesMax);
  });
});
