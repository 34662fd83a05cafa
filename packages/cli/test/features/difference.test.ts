/** What was approved and what is there now: kept as text, compared line by line, shown without control characters, and bounded. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { differenceLinesMax, differenceOf, editedLinesMax } from "../../src/features/difference.ts";
import { filesBelow, readFolder } from "../../src/features/content.ts";
import {
  decodeSubject,
  encodeSubject,
  type SubjectFile,
  subjectFiles,
  subjectTextBytesMax,
} from "../../src/features/subject.ts";
import { place } from "./place.ts";

const file = (path: string, text: string | null, sha256 = `sum of ${text}`): SubjectFile => ({
  path,
  bytes: text?.length ?? 9,
  sha256,
  text,
});
const lines = (count: number, word = "line") =>
  Array.from({ length: count }, (_, n) => `${word} ${n}\n`).join("");

test("the same files have no difference", async () => {
  assert.deepEqual(
    await differenceOf([file("a", "x"), file("b", null, "s")], [file("a", "x"), file("b", null, "s")]),
    [],
  );
});

test("changed, added and removed files, and what is no text", async () => {
  const before = [
    file("changed.ts", "one\ntwo\nthree\n"),
    file("gone.ts", "old\n"),
    file("image", null, "s1"),
  ];
  const after = [file("changed.ts", "one\n2\nthree"), file("image", null, "s2"), file("new.ts", "new\n")];
  assert.deepEqual(await differenceOf(before, after), [
    '--- "changed.ts"',
    '+++ "changed.ts"',
    "@@ -1,3 +1,3 @@",
    " one",
    "-two",
    "-three",
    "+2",
    "+three",
    "\\ No newline at end of file",
    '--- "gone.ts"',
    "+++ (not there any more)",
    "@@ -1,1 +0,0 @@",
    "-old",
    '--- "image"',
    '+++ "image"',
    "[not shown line by line: from 9 bytes, SHA-256 s1 to 9 bytes, SHA-256 s2]",
    "--- (not there)",
    '+++ "new.ts"',
    "@@ -0,0 +1,1 @@",
    "+new",
  ]);
});

test("nothing in a file or its name can disturb a terminal", async () => {
  const hostile = "\u001b]0;t\u0007\u001b[2J \u202e \r \u0000 \u009b31m";
  const shown = await differenceOf([file(`${hostile}\n`, "a\n")], [file(`${hostile}\n`, `${hostile}\n`)]);
  assert.ok(shown.length > 2);
  for (const line of shown) assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u202e]/);
});

test("as many lines as the limit, and one more; a rewritten file is said in one line", async () => {
  // Two lines name the file, one the place.
  const most = differenceLinesMax - 3;
  const fits = await differenceOf([], [file("a", lines(most))]);
  assert.deepEqual([fits.length, fits.at(-1)], [differenceLinesMax, `+line ${most - 1}`]);
  const cut = await differenceOf([], [file("a", lines(most + 1)), file("b", "x")]);
  assert.deepEqual(
    [cut.length, cut.at(-1)],
    [
      differenceLinesMax + 1,
      `[the rest is left out: only ${differenceLinesMax} lines are shown, and 1 more files were not compared]`,
    ],
  );
  const rewritten = await differenceOf(
    [file("a", lines(editedLinesMax), "s1")],
    [file("a", lines(editedLinesMax, "other"), "s2")],
  );
  assert.match(rewritten.at(-1) ?? "", /^\[not shown line by line: from /);
  const long = await differenceOf([], [file("a", "x".repeat(1_001))]);
  assert.ok(long.includes(`+${"x".repeat(999)} [2 more characters]`), long.join("\n"));
});

test("a subject comes back from its text as it went in", () => {
  const any = fc.array(
    fc.record(
      {
        path: fc.string({ unit: "grapheme" }),
        bytes: fc.nat(),
        sha256: fc.string(),
        text: fc.option(fc.string({ unit: "grapheme" })),
      },
      { noNullPrototype: true },
    ),
  );
  fc.assert(
    fc.property(any, (files) => assert.deepEqual(decodeSubject(encodeSubject(files)), files)),
    { seed: 4, numRuns: 200 },
  );
  for (const text of ["", "{", "[]", '{"format":2,"files":[]}', '{"format":1}', '{"format":1,"files":[{}]}'])
    assert.equal(decodeSubject(text), null, text);
});

test("texts are kept as long as there is room, the first ones by path; bytes never are", async () => {
  using at = place();
  const most = subjectTextBytesMax - 2 - 4; // quotes of both
  at.plant("w/p/a", "x".repeat(most));
  at.plant("w/p/b", Uint8Array.from([0xff]));
  at.plant("w/p/c", Uint8Array.from([0]));
  at.plant("w/p/d", "12");
  at.plant("w/p/e", "1");
  const read = async () => subjectFiles(await readFolder(filesBelow(at.workspace), `${at.workspace}/p`));
  const kept = (files: readonly SubjectFile[]) =>
    files.filter(({ text }) => text !== null).map(({ path }) => path);
  assert.deepEqual(kept(await read()), ["a", "d"]);
  at.plant("w/p/a", "x".repeat(most + 1));
  assert.deepEqual(kept(await read()), ["a", "e"]);
  at.plant("w/p/a", "\u0001".repeat(most));
  assert.deepEqual(kept(await read()), ["d", "e"], "what a text takes as JSON counts");
});
