/** What a change of a file was, as unified hunks. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { applyPatch } from "diff";
import fc from "fast-check";
import { changeDiff, diffBytesMax } from "../src/change-diff.ts";
import { createBench, type Bench } from "./support.ts";

let bench: Bench;
before(() => {
  bench = createBench();
});
after(() => bench.close());

const bytes = (text: string) => Buffer.from(text, "utf8");
const lines = (from: number, through: number) =>
  Array.from({ length: through - from + 1 }, (_, n) => `${from + n}\n`).join("");

test("hunks have three lines around each change, and their numbers", () => {
  const changed = lines(1, 20).replace("\n5\n", "\nfive\n").replace("18\n", "");
  assert.deepEqual(changeDiff(bytes(lines(1, 20)), changed), {
    diff: "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n@@ -15,6 +15,5 @@\n 15\n 16\n 17\n-18\n 19\n 20\n",
  });
});

test("a new file, an emptied one, one without a last line end", () => {
  assert.deepEqual(changeDiff(null, "a\nb\n"), { diff: "@@ -0,0 +1,2 @@\n+a\n+b\n" });
  assert.deepEqual(changeDiff(bytes("a\n"), ""), { diff: "@@ -1,1 +0,0 @@\n-a\n" });
  assert.deepEqual(changeDiff(bytes("a"), "a\n"), {
    diff: "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n",
  });
});

test("what is the same, what is no text and what is too much has none", () => {
  assert.deepEqual(changeDiff(bytes("a\n"), "a\n"), {});
  assert.deepEqual(changeDiff(null, ""), {});
  assert.deepEqual(changeDiff(null, "a\0b"), {});
  assert.deepEqual(changeDiff(Buffer.from([0xff, 0x61]), "a"), {});
  assert.deepEqual(changeDiff(Buffer.from("\u007fELFx"), "a"), {});
  assert.deepEqual(changeDiff(bytes("x\n".repeat(3000)), "y\n".repeat(3000)), {});
  assert.deepEqual(changeDiff(bytes("x".repeat(2_000_000)), "y".repeat(2_000_000)), {});
});

test("the largest that is kept is as large as said, as JSON", () => {
  const frame = JSON.stringify("@@ -0,0 +1,1 @@\n+\n").length;
  const most = "a".repeat(diffBytesMax - frame);
  assert.equal(JSON.stringify(changeDiff(null, `${most}\n`).diff).length, diffBytesMax);
  assert.deepEqual(changeDiff(null, `${most}a\n`), {});
  assert.deepEqual(changeDiff(null, `${'"'.repeat(diffBytesMax - frame)}\n`), {});
});

test("hunks applied to the old text are the new one", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c\r", "", "日本", "🙂"), { maxLength: 12 })
    .map((all) => all.join("\n"));
  const seed = 8;
  const numRuns = 300;
  fc.assert(
    fc.property(text, text, (from, to) => {
      const { diff } = changeDiff(bytes(from), to);
      if (diff === undefined) assert.equal(from, to);
      else assert.equal(applyPatch(from, diff, { autoConvertLineEndings: false }), to);
    }),
    { seed, numRuns },
  );
  console.log(`seed ${seed}, ${numRuns} runs`);
});

test("Write and Edit put it on record, and the file is known all the same", async () => {
  const file_path = bench.path("a.txt");
  const made = await bench.call("Write", { file_path, content: "one\ntwo\n" });
  const edited = await bench.call("Edit", { file_path, old_string: "two", new_string: "2" });
  const replaced = await bench.call("Write", { file_path, content: "one\n" });
  assert.deepEqual(
    [made, edited, replaced].map(({ record }) => record?.["diff"]),
    ["@@ -0,0 +1,2 @@\n+one\n+two\n", "@@ -1,2 +1,2 @@\n one\n-two\n+2\n", "@@ -1,2 +1,1 @@\n one\n-2\n"],
  );
});
