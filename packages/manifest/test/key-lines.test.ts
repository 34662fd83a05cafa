/** The line of every key, in every way that TOML has of writing it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parse } from "smol-toml";
import { locateKeys, type KeyPath } from "../src/key-lines.ts";

const document = `# a comment with [brackets] and = signs

title = "one" # after
[a]
x = 1
"quoted key" = 2
'literal.key'=3
d.e.f = "dotted"
d . g = 4
long = """
[not.a.table]
key = "not a key" \\"""
"""
raw = '''
it's "raw" [x]'''
ends = """two quotes""""\u0022
list = [ 1, 2, # [in a comment]
  "]", 'x]',
  { y = 1, z = { w = "}" } },
]
date = 1979-05-27 07:32:00
[[t]]
k = 1
[[t]]

  k = 2
[t.sub]
s = true
[[t.inner]]
i = 1
[[t.inner]]
i = 2
[a."b.c".d]
last = -0.5e3
"\\u00e9" = 1
`;

test("every key of a document is placed", () => {
  const { lineOf } = locateKeys(document);
  const cases: readonly (readonly [path: KeyPath, line: number])[] = [
    [["title"], 3],
    [["a"], 4],
    [["a", "x"], 5],
    [["a", "quoted key"], 6],
    [["a", "literal.key"], 7],
    [["a", "d", "e", "f"], 8],
    [["a", "d", "e"], 8],
    [["a", "d", "g"], 9],
    [["a", "long"], 10],
    [["a", "raw"], 14],
    [["a", "ends"], 16],
    [["a", "list"], 17],
    [["a", "list", 1], 17],
    [["a", "list", 2], 18],
    [["a", "list", 4, "y"], 19],
    [["a", "list", 4, "z", "w"], 19],
    [["a", "date"], 21],
    [["t"], 22],
    [["t", 0], 22],
    [["t", 0, "k"], 23],
    [["t", 1], 24],
    [["t", 1, "k"], 26],
    [["t", 1, "sub", "s"], 28],
    [["t", 1, "inner", 0, "i"], 30],
    [["t", 1, "inner", 1], 31],
    [["t", 1, "inner", 1, "i"], 32],
    [["a", "b.c", "d", "last"], 34],
    [["a", "b.c", "d", "é"], 35],
    // What is not there has the line of what it would be in.
    [["a", "nothing"], 4],
    [["t", 1, "nothing", "deeper"], 24],
    [["nothing"], 1],
  ];
  parse(document);
  for (const [path, line] of cases) assert.equal(lineOf(path), line, JSON.stringify(path));
});

test("values are passed over whole, however they are written (2,000 documents, seed 11)", () => {
  const value = fc.oneof(
    fc.constantFrom(
      "1",
      "-1.5e3",
      "true",
      "inf",
      "0xff",
      "1979-05-27T07:32:00Z",
      "07:32:00",
      "[]",
      "{}",
      '""',
      "''",
    ),
    fc.string({ maxLength: 12 }).map((text) => JSON.stringify(text.replaceAll(/[\u007f\ud800-\udfff]/g, ""))),
    fc.constantFrom('"""a\n"quoted"\n"""', "'''\n[t]\nk = 1'''", '"""\\""" x"""', '"] # }"', "'=\\'"),
    fc.constantFrom(
      "[1, [2, '3'], ]",
      "[ # c ]\n1, # d\n]",
      "{a = [1, {b = ']'}], c.d = 1}",
      "[[1]]",
      '[{"=" = 1}]',
    ),
  );
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 8 }), (values) => {
      const lines: number[] = [];
      let text = "";
      values.forEach((written, index) => {
        lines.push(text.split("\n").length);
        text += `k${index} = ${written} # tail\n`;
      });
      parse(text);
      const { lineOf } = locateKeys(text);
      assert.deepEqual(
        values.map((_, index) => lineOf([`k${index}`])),
        lines,
      );
    }),
    { numRuns: 2_000, seed: 11 },
  );
});
