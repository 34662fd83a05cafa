/** The parts of a search: pages, names, and what ripgrep prints. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, YoiError } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { Page, shownBytesMax } from "../src/search/paging.ts";
import { hitCharsMax, parseHits } from "../src/search/parse-hits.ts";
import { showName } from "../src/search/show-name.ts";
import { parseIgnoreFile } from "../src/search/ignore-rules.ts";
import { namedMax, notesOf } from "../src/search/notes.ts";
import { searchMsMax, withinTime } from "../src/search/ripgrep.ts";
import { contextLinesMax, patternBytesMax } from "../src/grep-tool.ts";
import { createBench } from "./support.ts";
import { bytesOf } from "../src/scoped-files/descent.ts";

function pageOf(count: number, offset: number, limit: number, bytes = 1) {
  const page = new Page<number>(offset, limit, () => bytes);
  for (let index = 0; index < count; index += 1) page.add(() => index);
  return { entries: page.entries, said: page.describe("file", "files") };
}

test("a page says what it shows of how many, and where to go on only where there is more", () => {
  const table: readonly (readonly [number, number, number, number[], string])[] = [
    [0, 0, 2, [], "no files"],
    [1, 0, 2, [0], "1 file"],
    [2, 0, 2, [0, 1], "2 files"],
    [3, 0, 2, [0, 1], "1 to 2 of 3 files; go on with offset 2"],
    [3, 2, 2, [2], "3 to 3 of 3 files, the last"],
    [3, 1, 2, [1, 2], "2 to 3 of 3 files, the last"],
    [3, 3, 2, [], "none left from offset 3 of 3 files"],
    [3, 9, 2, [], "none left from offset 9 of 3 files"],
  ];
  for (const [count, offset, limit, entries, said] of table)
    assert.deepEqual(pageOf(count, offset, limit), { entries, said });
});

test("a page ends where its bytes are full, and shows at least one entry", () => {
  const half = shownBytesMax / 2;
  assert.deepEqual(pageOf(3, 0, 10, half).entries, [0, 1]);
  assert.deepEqual(pageOf(3, 0, 10, half + 1).entries, [0]);
  assert.deepEqual(pageOf(3, 1, 10, shownBytesMax * 9).entries, [1]);
});

test("a name takes one line and tells every byte", () => {
  const names: readonly (readonly [string, string])[] = [
    [bytesOf("/a b/ü/日.txt"), "/a b/ü/日.txt"],
    ["/it's", "/it's"],
    ["/a\nb", "$'/a\\x0ab'"],
    ["/it's\n", "$'/it\\'s\\x0a'"],
    ["/bad\xff", "$'/bad\\xff'"],
    ["/\u001b[31m", "$'/\\x1b[31m'"],
    [bytesOf("/\u202ex"), "$'/\\xe2\\x80\\xaex'"],
  ];
  for (const [bytes, shown] of names) assert.equal(showName(bytes), shown);
});

test("what ripgrep prints is read back, whatever the lines hold", () => {
  const output = Buffer.from(
    '/ws/b: binary file matches (found "\\0" byte around offset 5)\n\n/ws/a\u00001:one\n2-/ws/x\n--\n9:/ws/x: binary file matches (found)\n\n/ws/late\u00001:one\n/ws/late: binary file matches (found "\\0" byte around offset 9)\n',
  );
  const read = [...parseHits(output, { withText: true, withColumn: false })].map(
    ([path, { isBinary, matches, lines }]) => ({
      path,
      isBinary,
      matches,
      lines: lines.map((line) => [line.number, line.isMatch, line.text()]),
    }),
  );
  assert.deepEqual(read, [
    { path: "/ws/b", isBinary: true, matches: 0, lines: [] },
    {
      path: "/ws/a",
      isBinary: false,
      matches: 2,
      lines: [
        [1, true, "one"],
        [2, false, "/ws/x"],
        [9, true, "/ws/x: binary file matches (found)"],
      ],
    },
    { path: "/ws/late", isBinary: true, matches: 1, lines: [[1, true, "one"]] },
  ]);
});

test("a line is cut beyond its characters, and never in one", () => {
  const shown = (text: string, column: number | null = null) =>
    parseHits(Buffer.from(`/a\u00001:${column === null ? "" : `${column}:`}${text}\n`), {
      withText: true,
      withColumn: column !== null,
    })
      .get("/a")
      ?.lines[0]?.text();
  const mark = ` [cut: longer than ${hitCharsMax} characters]`;
  assert.equal(shown("x".repeat(hitCharsMax)), "x".repeat(hitCharsMax));
  assert.equal(shown("x".repeat(hitCharsMax + 1)), "x".repeat(hitCharsMax) + mark);
  assert.equal(shown(`${"x".repeat(hitCharsMax - 1)}😀`), "x".repeat(hitCharsMax - 1) + mark);
  assert.equal(shown("9:x", 1), "9:x");
  assert.equal(shown("x".repeat(hitCharsMax + 1), hitCharsMax), "x".repeat(hitCharsMax) + mark);
  assert.equal(
    shown("x".repeat(hitCharsMax + 1), hitCharsMax + 1),
    `${"x".repeat(hitCharsMax)} [cut: longer than ${hitCharsMax} characters; it matches from byte ${hitCharsMax + 1} on]`,
  );
});

test("ignore files say what their last line says", () => {
  const rules = parseIgnoreFile(
    "# note\n*.log\r\n!keep.log\n/top\nd/\na/b\n\\#x\n\\!y\nspace\\ \ntail   \n[\nx/**\n",
  );
  const verdicts: readonly (readonly [string, boolean, string | null])[] = [
    ["a.log", false, "ignored"],
    ["s/a.log", false, "ignored"],
    ["s/keep.log", false, "kept"],
    ["top", false, "ignored"],
    ["s/top", false, null],
    ["s/d", true, "ignored"],
    ["s/d", false, null],
    ["a/b", false, "ignored"],
    ["s/a/b", false, null],
    ["#x", false, "ignored"],
    ["!y", false, "ignored"],
    ["space ", false, "ignored"],
    ["tail", false, "ignored"],
    ["x", true, null],
    ["x/y", false, "ignored"],
  ];
  for (const [path, isDirectory, verdict] of verdicts)
    assert.equal(rules.verdict(path, path.slice(path.lastIndexOf("/") + 1), isDirectory), verdict, path);
});

test("of what could not be read so many are named", () => {
  const noted = (count: number): string[] => {
    const unreadable = Array.from({ length: count }, (_, index) => `/${String(index).padStart(2, "0")}`);
    return notesOf({
      tree: { files: [], unreadable, cutAt: null, isThinned: false, forbidden: 0 },
      leftOut: null,
    });
  };
  assert.match(noted(namedMax)[0] ?? "", /, \/09\]$/);
  assert.match(noted(namedMax + 1)[0] ?? "", /, \/09 and 1 more\]$/);
});

test("what rules keep from being shown is counted", () => {
  const noted = (forbidden: number): string[] =>
    notesOf({ tree: { files: [], unreadable: [], cutAt: null, isThinned: false, forbidden }, leftOut: null });
  assert.deepEqual(noted(0), []);
  assert.match(noted(1)[0] ?? "", /^\[1 file left out, which the user's permission rules/);
  assert.match(noted(2)[0] ?? "", /^\[2 files left out/);
});

test("a search ends when its time is over, and not before", async () => {
  for (const [ms, isOver] of [
    [searchMsMax - 1, false],
    [searchMsMax, true],
  ] as const) {
    const host = memoryHost({ seed: 1 });
    const context = { call: callId(1, 0), signal: new AbortController().signal };
    await withinTime(context, host.timers, async (time) => {
      await host.advance(ms);
      assert.equal(time.signal.aborted, isOver);
      if (isOver) assert.throws(() => time.check(), /^YoiError: The search took longer than 30 s/);
      else time.check();
    });
  }
});

test("arguments of Grep at their bounds and one beyond", async () => {
  const bench = createBench();
  const said = async (args: object): Promise<string> => {
    try {
      return (await bench.call("Grep", args as never)).summary;
    } catch (thrown) {
      return thrown instanceof YoiError ? thrown.code : String(thrown);
    }
  };
  const reached = "Error: no programs here";
  const table: readonly (readonly [object, string])[] = [
    [{ pattern: "x".repeat(patternBytesMax) }, reached],
    [{ pattern: "x".repeat(patternBytesMax + 1) }, "limit_exceeded"],
    [{ pattern: `${"é".repeat(patternBytesMax / 2)}` }, reached],
    [{ pattern: `${"é".repeat(patternBytesMax / 2)}x` }, "limit_exceeded"],
    ...["-A", "-B", "-C"].flatMap((name): [object, string][] => [
      [{ pattern: "x", output_mode: "content", [name]: contextLinesMax }, reached],
      [{ pattern: "x", output_mode: "content", [name]: contextLinesMax + 1 }, "usage"],
    ]),
  ];
  try {
    for (const [args, expected] of table)
      assert.equal(await said(args), expected, JSON.stringify(args).slice(0, 60));
  } finally {
    bench.close();
  }
});
