/** docs/acceptance.md maps every acceptance row to its tests: each one is there, is named after its row, and none is left out. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index + 1).padStart(2, "0")}`);
/** The first four groups are acceptance rows, the last one the checklist of the feature registry. */
const wanted = [
  ...numbered("A0", 46),
  ...numbered("A1", 18),
  ...numbered("A2", 78),
  ...numbered("A3", 42),
  ...numbered("F", 28),
];

/** Rows without a test of their own, and what stands there instead. */
const withoutTest: ReadonlyMap<string, RegExp> = new Map([
  ["A0-45", /^change review: /],
  ["A1-18", /^change review: /],
  ["A2-28", /^change review: /],
  ["A2-68", /^change review: /],
  ["A2-69", /^later: /],
  ["A2-71", /^later: /],
]);

interface Line {
  readonly row: string;
  readonly file: string;
  readonly title: string;
}

function linesOf(document: string): {
  readonly mapped: readonly Line[];
  readonly notes: ReadonlyMap<string, string>;
} {
  const mapped: Line[] = [];
  const notes = new Map<string, string>();
  for (const line of document.split("\n")) {
    const [before, row = "", where = "", title] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    if (before !== "" || !/^(?:A[0-3]|F)-[0-9]{2}$/.test(row)) continue;
    const link = /^\[[^\]]+\]\(\.\.\/([^)]+)\)$/.exec(where)?.[1];
    if (link === undefined) notes.set(row, where);
    else mapped.push({ row, file: link, title: (title ?? "").replaceAll("\\|", "|") });
  }
  return { mapped, notes };
}

/** Titles of tests written as plain strings. */
function titlesIn(source: string): readonly string[] {
  return [...source.matchAll(/\b(?:test|describe)\(\s*("(?:[^"\\\n]|\\.)*")/g)].map((match) =>
    String(JSON.parse(match[1] ?? '""')),
  );
}

/** The rows that a title begins with: `A0-34, A0-36: ...`. */
function rowsOf(title: string): readonly string[] {
  const head = /^((?:(?:A[0-3]|F)-[0-9]{2})(?:, (?:A[0-3]|F)-[0-9]{2})*): /.exec(title);
  return head?.[1]?.split(", ") ?? [];
}

function faultsOf(document: string, sources: ReadonlyMap<string, string>): readonly string[] {
  const { mapped, notes } = linesOf(document);
  const titles = new Map([...sources].map(([file, source]) => [file, titlesIn(source)]));
  const said = new Set(mapped.map(({ row, file, title }) => `${row} ${file} ${title}`));
  return [
    ...wanted.flatMap((row) => {
      const note = withoutTest.get(row);
      if (note !== undefined && note.test(notes.get(row) ?? "")) return [];
      return mapped.some((line) => line.row === row) ? [] : [`${row}: no test`];
    }),
    ...[...notes.keys()].filter((row) => !withoutTest.has(row)).map((row) => `${row}: not a test`),
    ...mapped.flatMap(({ row, file, title }) => {
      if (titles.get(file)?.includes(title) !== true) return [`${row}: no test ${title} in ${file}`];
      return rowsOf(title).includes(row) ? [] : [`${row}: ${title} is not named after it`];
    }),
    ...[...titles].flatMap(([file, all]) =>
      all.flatMap((title) =>
        rowsOf(title)
          .filter((row) => !said.has(`${row} ${file} ${title}`))
          .map((row) => `${row}: ${file} has a test that is not listed: ${title}`),
      ),
    ),
  ];
}

const testFiles = execFileSync("git", ["ls-files", "-z", "*.test.ts", "*.proof.ts"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\0")
  .filter((file) => file !== "" && existsSync(join(root, file)) && !file.startsWith("scripts/"));
const sources = new Map(testFiles.map((file) => [file, read(file)]));

test("every acceptance row has its tests, and every test of a row is listed", () => {
  assert.deepEqual(faultsOf(read("docs/acceptance.md"), sources), []);
});

test("what is missing, wrong or not listed would be found (control)", () => {
  const whole = read("docs/acceptance.md");
  assert.deepEqual(faultsOf(whole.replace(/^(\| A1-10 .*?)\s*\|$/m, "$1? |"), sources).length, 2);
  assert.match(faultsOf(whole.replaceAll(/^\| A1-10 .*\n/gm, ""), sources).join("\n"), /A1-10: no test/);
  const planted = new Map([...sources, ["x.test.ts", 'test("A1-10: planted", () => {});']]);
  assert.deepEqual(faultsOf(whole, planted), [
    "A1-10: x.test.ts has a test that is not listed: A1-10: planted",
  ]);
});
