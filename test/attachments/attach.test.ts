/** References in a prompt, from the command line to the request: what is attached, what is said, and what the log proves. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { pngOf } from "../../packages/tools/test/pictures.ts";
import { tempHome } from "../support/temp-home.ts";
import { attachedItems, call, command, configure, done, logLines, play, pod } from "./place.ts";

test("files, a directory and an image go behind the input; what cannot be attached is said and stays; the log holds it all", async () => {
  using home = tempHome();
  const at = (name: string) => join(home.workspace, name);
  mkdirSync(at("src"));
  writeFileSync(at("src/a.ts"), "export const a = 1;\n");
  writeFileSync(at("my notes.txt"), "remember");
  writeFileSync(at("big.txt"), "0123456789\n".repeat(200));
  writeFileSync(at("pic"), pngOf(30, 20, 1_000_000));
  writeFileSync(join(home.root, "secret.txt"), "secret");
  symlinkSync(join(home.root, "secret.txt"), at("leak"));
  configure(home, "[worker.file_upload]\nmax_bytes = 1024\n");
  const prompt =
    'Look at @src/a.ts, @src, @"my notes.txt" and @big.txt (with @pic). Not @scope/package, me@example.org, \\@it or @leak. Again @src/a.ts.';
  const kept =
    'Look at @src/a.ts, @src, @"my notes.txt" and @big.txt (with @pic). Not @scope/package, me@example.org, @it or @leak. Again @src/a.ts.';
  const steps = [
    { expect: { items: 6, last_input: ["[File: pic]", "PNG", "30 x 20 pixels"] }, ...call("Nothing", {}) },
    { text: "Seen." },
    { expect: { items: 10 }, text: "Still there." },
  ];
  const { stderr } = await done(play(home, steps, prompt));
  assert.deepEqual(
    stderr.split("\n").filter((line) => line.includes("not attached")),
    [
      `@scope/package was not attached: ${JSON.stringify(at("scope/package"))} does not exist.`,
      `@leak was not attached: The path ${JSON.stringify(at("leak"))}, which leads to ${JSON.stringify(join(home.root, "secret.txt"))}, is outside this Pod's scope: work on a path that the scope lists, or ask the user to add a rule for it.`,
    ],
  );
  const input = logLines(home).find(({ kind }) => kind === "user_input");
  assert.equal(input?.["attachments"], 5);
  const items = attachedItems(home);
  assert.deepEqual(
    items.slice(0, 3).map(({ body }) => body),
    ["[File: src/a.ts]\nexport const a = 1;\n", "[Dir: src]\na.ts", "[File: my notes.txt]\nremember"],
  );
  assert.match(
    items[3]?.body ?? "",
    /^\[File: big\.txt\]\n(0123456789\n){93}0\n\[cut: 1024 of 2200 bytes are shown; go on with Read, file_path ".*\/big\.txt", offset 94\]$/,
  );
  const last = logLines(home).findLast(({ kind }) => kind === "system_item");
  const moved = last?.["item"] as { blob: { bytes: number } } | undefined;
  assert.ok(Number(moved?.blob.bytes) > 1_300_000, "a large image lies in a blob");
  // What was attached is what every later request holds, whatever became of the files.
  for (const name of ["src", "my notes.txt", "big.txt", "pic", "leak"]) rmSync(at(name), { recursive: true });
  await done(play(home, steps, "And now?"));
  const log = (await command(home, "pod", "log", pod)).stdout;
  assert.ok(log.includes(kept.slice(0, 100)), log);
  assert.match(log, /file_attachment from host: \[File: src\/a\.ts\]\\u000aexport const a = 1;/);
  assert.match(log, /\[File: pic\].*30 x 20 pixels\) \(1 image\)$/m);
  const verified = JSON.parse(
    (await command(home, "pod", "verify", pod, "--wire", "--json")).stdout,
  ) as object;
  assert.deepEqual(
    { ...verified, requests: 0 },
    { ...verified, requests: 0, ok: true, problems: [], wire_checked: 3 },
  );
});
