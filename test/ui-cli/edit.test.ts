/** The editor on a text: a real program, a file that is the user's alone while it runs, and nothing left behind. */
import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { nodeHost } from "@yoi/host";
import { editText } from "../../packages/cli/src/ui/edit.ts";
import { tempHome } from "../support/temp-home.ts";

const cases: readonly (readonly [what: string, script: string, left: string | null])[] = [
  [
    "a text that is changed comes back, without the line end that editors add",
    'printf "%s and more\\n" "$(cat "$1")" >"$1"',
    "draft and more",
  ],
  ["one that is replaced by another file comes back too", 'echo new >"$1.new" && mv "$1.new" "$1"', "new"],
  ["as it was: nothing", ":", null],
  ["an editor that fails: nothing", 'echo new >"$1"; exit 1', null],
  ["one that is killed: nothing", 'echo new >"$1"; kill -9 $$', null],
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
  await t.test("one that is not there: nothing", async () => {
    const options = { host: nodeHost(), directory: home.home, stdio: "ignore" } as const;
    assert.equal(await editText("draft", { ...options, editor: [join(home.root, "none")] }), null);
    assert.deepEqual(readdirSync(home.home), []);
  });
});
