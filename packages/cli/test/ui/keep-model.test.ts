/** The model in the user's own file: put there without touching what else it says, in the place of the one it said. */
import assert from "node:assert/strict";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { keepModel, withModel } from "../../src/ui/keep-model.ts";

const ref = "openai/gpt-5.2";

test("the text of a file with a model in it", () => {
  const cases: readonly (readonly [before: string, after: string])[] = [
    ["", `[model]\nref = "${ref}"\n`],
    ["# mine\n", `# mine\n\n[model]\nref = "${ref}"\n`],
    ["a = 1", `a = 1\n\n[model]\nref = "${ref}"\n`],
    ["[model]\n# soon\ntemperature = 1\n", `[model]\nref = "${ref}"\n# soon\ntemperature = 1\n`],
    ["[model] # what\r\ntemperature = 1\r\n", `[model] # what\r\nref = "${ref}"\ntemperature = 1\r\n`],
    ["[model]\n[other]\nref = 'x'\n", `[model]\nref = "${ref}"\n[other]\nref = 'x'\n`],
    ["[model]\nref = 'a/b'\nx = 1\n", `[model]\nref = "${ref}"\nx = 1\n`],
    ['[model]\n  "ref"= "a\\"/b" # mine\r\n', `[model]\n  "ref"= "${ref}" # mine\r\n`],
    [`[model]\nref = "${ref}" # mine\n`, `[model]\nref = "${ref}" # mine\n`],
    ["[[models]]\nref = 'a/b'\n", `[[models]]\nref = 'a/b'\n\n[model]\nref = "${ref}"\n`],
  ];
  for (const [before, after] of cases) assert.equal(withModel(before, ref, "/c.toml"), after, before);
});

test("a model that is not a string on one line says which line is to be changed", () => {
  for (const [text, line] of [
    ["[model]\nref = 1\n", 2],
    ["# x\n[ model ]\ntemperature = 1\n  \"ref\"= '''a/b'''\n", 4],
  ] as const) {
    const refused = (error: unknown) =>
      error instanceof YoiError && error.place?.line === line && error.message.includes(`ref = "${ref}"`);
    assert.throws(() => withModel(text, ref, "/c.toml"), refused, text);
  }
});

test("the file is private when it is made, stays what it was when it is wrong, and is edited where a link leads", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "yoi-keep-model-")));
  try {
    const { files } = nodeHost();
    const path = join(folder, "config", "config.toml");
    const source = { path, trust: "user" } as const;
    assert.equal(await keepModel(files, source, ref), path);
    assert.equal(readFileSync(path, "utf8"), `[model]\nref = "${ref}"\n`);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    // The wizard comes again: another model takes the line, and the same one is done already.
    for (const next of ["openai/gpt-5", "openai/gpt-5", ref]) {
      assert.equal(await keepModel(files, source, next), path);
      assert.equal(readFileSync(path, "utf8"), `[model]\nref = "${next}"\n`);
    }
    for (const wrong of [
      "[model\n",
      "model.temperature = 1\n",
      "model = { temperature = 1 }\n",
      "[nothing]\nx = 1\n",
    ]) {
      writeFileSync(path, wrong);
      const refused = (error: unknown) =>
        error instanceof YoiError && error.code === "config_invalid" && error.message.includes(path);
      await assert.rejects(keepModel(files, source, ref), refused, wrong);
      assert.equal(readFileSync(path, "utf8"), wrong);
    }
    rmSync(path);
    mkdirSync(join(folder, "dotfiles"));
    const real = join(folder, "dotfiles", "yoi.toml");
    writeFileSync(real, "# mine\n");
    symlinkSync(real, path);
    assert.equal(await keepModel(files, source, ref), real);
    assert.equal(lstatSync(path).isSymbolicLink(), true);
    assert.equal(readFileSync(real, "utf8"), `# mine\n\n[model]\nref = "${ref}"\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
