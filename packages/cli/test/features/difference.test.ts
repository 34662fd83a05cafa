/** What was approved and what is there now: kept as text, compared line by line, shown without control characters, and bounded. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { subjectBytesMax } from "@yoi/keep";
import {
  differenceLinesMax,
  differenceOf as compare,
  editedLinesMax,
} from "../../src/features/difference.ts";
import type { FeatureContent } from "../../src/features/content.ts";
import {
  decodeSubject,
  encodeSubject,
  type Subject,
  type SubjectFile,
  subjectOf,
} from "../../src/features/subject.ts";

const file = (path: string, text: string | null, sha256 = `sum of ${text}`): SubjectFile => ({
  path,
  bytes: text?.length ?? 9,
  sha256,
  text,
});
const whole = (files: readonly SubjectFile[]): Subject => ({ files, leftOut: 0 });
const differenceOf = (before: readonly SubjectFile[], after: readonly SubjectFile[]) =>
  compare(whole(before), whole(after));
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
  const any = fc.record(
    {
      files: fc.array(
        fc.record(
          {
            path: fc.string({ unit: "grapheme" }),
            bytes: fc.nat(),
            sha256: fc.string(),
            text: fc.option(fc.string({ unit: "grapheme" })),
          },
          { noNullPrototype: true },
        ),
      ),
      leftOut: fc.nat(),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(any, (subject) => assert.deepEqual(decodeSubject(encodeSubject(subject)), subject)),
    { seed: 4, numRuns: 200 },
  );
  for (const text of [
    "",
    "{",
    "[]",
    '{"format":2,"files":[],"left_out":0}',
    '{"format":1,"left_out":0}',
    '{"format":1,"files":[{}],"left_out":0}',
    '{"format":1,"files":[]}',
  ])
    assert.equal(decodeSubject(text), null, text);
});

const content = (
  files: readonly (readonly [path: string, content: string | Uint8Array])[],
): FeatureContent => ({
  files: files.map(([path, text]) => ({
    path,
    sha256: "0".repeat(64),
    content: Buffer.from(text as string),
  })),
  bytes: 0,
  digest: "",
});
const kept = (subject: Subject) => subject.files.filter(({ text }) => text !== null).map(({ path }) => path);
const sizeOf = (subject: Subject) => Buffer.byteLength(encodeSubject(subject));

test("bytes that are no text hide nothing: each line is shown, and they in it", async () => {
  const clean = "export default {};\nconst a = 1;\n";
  const bad = Buffer.concat([
    Buffer.from(clean),
    Buffer.from("run(); // "),
    Buffer.from([0xff, 0x00, 0xed, 0xa0, 0x80, 0xc3, 0xbc, 10]),
  ]);
  const one = Buffer.concat([
    Buffer.from(`${clean}run(); // `),
    Buffer.from([0xfe, 0x00, 0xed, 0xa0, 0x80, 0xc3, 0xbc, 10]),
  ]);
  const kept = (bytes: Uint8Array, sha256: string) => {
    const subject = subjectOf(content([["lint.ts", bytes]]));
    const back = decodeSubject(encodeSubject(subject));
    assert.deepEqual(back, subject);
    return whole(subject.files.map((one) => ({ ...one, sha256 })));
  };
  assert.deepEqual(await compare(kept(Buffer.from(clean), "s1"), kept(bad, "s2")), [
    '--- "lint.ts"',
    '+++ "lint.ts"',
    "@@ -1,2 +1,3 @@",
    " export default {};",
    " const a = 1;",
    "+run(); // \\xff\\u0000\\xed\\xa0\\x80ü",
  ]);
  const changed = await compare(kept(one, "s1"), kept(bad, "s2"));
  assert.deepEqual(changed.slice(-2), [
    "-run(); // \\xfe\\u0000\\xed\\xa0\\x80ü",
    "+run(); // \\xff\\u0000\\xed\\xa0\\x80ü",
  ]);
  // What a person wrote is never taken for a byte: the texts differ, and so the line is shown.
  assert.equal((await compare(kept(Buffer.from("\\xff"), "s1"), kept(Buffer.from([0xff]), "s2"))).length, 7);
});

test("any bytes are kept as a text of their own, which is well formed in the file", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 32 }), fc.uint8Array({ maxLength: 32 }), (a, b) => {
      const [first, second] = [a, b].map((bytes) => encodeSubject(subjectOf(content([["a", bytes]]))));
      const text = (encoded: string | undefined) => decodeSubject(encoded ?? "")?.files[0]?.text;
      assert.equal(text(first) === text(second), Buffer.compare(Buffer.from(a), Buffer.from(b)) === 0);
      assert.ok(first?.isWellFormed());
      if (Buffer.from(a).toString("utf8").includes("\ufffd") === false)
        assert.equal(text(first), Buffer.from(a).toString("utf8"));
    }),
    { seed: 20261122, numRuns: 2_000 },
  );
});

test("no character without a width goes unseen", async () => {
  const hidden = "\u200b\u200c\u200d\u2060\ufeff\u{e0041}";
  const shown = await differenceOf([file("a", "isAdmin\n")], [file("a", `is${hidden}Admin\n`)]);
  assert.equal(shown.at(-1), "+is\\u200b\\u200c\\u200d\\u2060\\ufeff\\u{e0041}Admin");
});

test("files are kept as long as there is room, the first ones by path", () => {
  const subject = (first: string) =>
    subjectOf(
      content([
        ["a", first],
        ["d", "123456"],
        ["e", "12345"],
      ]),
    );
  let most = 0;
  for (let step = 2 ** 18; step >= 1; step /= 2)
    if (
      kept(subject("x".repeat(most + step)))
        .join("")
        .startsWith("ad")
    )
      most += step;
  const full = subject("x".repeat(most));
  assert.deepEqual([kept(full), full.leftOut], [["a", "d"], 0]);
  assert.ok(sizeOf(full) <= subjectBytesMax && sizeOf(full) > subjectBytesMax - 16, String(sizeOf(full)));
  assert.deepEqual(kept(subject("x".repeat(most + 1))), ["a", "e"]);
  assert.deepEqual(kept(subject("\u0001".repeat(most))), ["d", "e"], "what a text takes as JSON counts");
});

test("of very many files the first are kept, and what is after them is not compared", async () => {
  const names = Array.from({ length: 2_000 }, (_, n) => `${"long/".repeat(20)}${String(n).padStart(4, "0")}`);
  const all = content(names.map((name) => [name, "x"]));
  const subject = subjectOf(all);
  assert.ok(sizeOf(subject) <= subjectBytesMax && sizeOf(subject) > subjectBytesMax - 512);
  assert.equal(subject.files.length + subject.leftOut, names.length);
  const changed = {
    ...all,
    files: all.files.map((one, n) => (n === 1_999 || n === 0 ? { ...one, sha256: "1" } : one)),
  };
  const seen = await compare(subject, subjectOf(changed));
  const end = subject.files.at(-1)?.path ?? "";
  assert.deepEqual(
    [seen.length, seen.at(-1)],
    [4, `[files after "${end}" were not compared: there are too many to keep]`],
  );
  assert.ok(seen[0]?.endsWith('0000"'));
});
