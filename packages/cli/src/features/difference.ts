/** What changed since an approval, as a person can read it: a unified diff of each file, one line for what is over the limits, all of it bounded. */
import { escapeControls } from "@yoi/base";
import { byText, shown } from "./content.ts";
import type { Standing } from "./standing.ts";
import { decodeSubject, type Subject, type SubjectFile, subjectOf, withBytesShown } from "./subject.ts";

/** Of the whole difference. */
export const differenceLinesMax = 2_000;
/** Of one line that is shown. */
export const differenceLineCharsMax = 1_000;
/** Beyond this many changed lines of one file they are not looked for: finding them grows with their square. */
export const editedLinesMax = 2_000;
const contextLines = 3;

/** Null: nothing was approved, nothing changed, or nothing can be read. */
export async function changesSince({
  status,
  content,
  approval,
}: Standing): Promise<readonly string[] | null> {
  if (status !== "changed" || content === null || approval === null) return null;
  const before = decodeSubject(approval.subject);
  if (before === null)
    return ["[what was approved was kept by another version of yoi: it cannot be compared]"];
  return await differenceOf(before, subjectOf(content));
}

/** Lines without control characters; [] for the same files. */
export async function differenceOf(before: Subject, after: Subject): Promise<readonly string[]> {
  const old = new Map(before.files.map((file) => [file.path, file]));
  const now = new Map(after.files.map((file) => [file.path, file]));
  const comparable = comparedUpTo(before, after);
  const paths = [...new Set([...old.keys(), ...now.keys()])].filter(comparable.has).toSorted(byText);
  const lines: string[] = [];
  for (const path of paths) {
    const [a, b] = [old.get(path), now.get(path)];
    if (a?.sha256 === b?.sha256) continue;
    lines.push(...(await changeOf(path, a, b)));
    if (lines.length > differenceLinesMax) {
      const left = paths.length - paths.indexOf(path) - 1;
      const rest = left === 0 ? "" : `, and ${left} more files were not compared`;
      return [
        ...lines.slice(0, differenceLinesMax),
        `[the rest is left out: only ${differenceLinesMax} lines are shown${rest}]`,
      ];
    }
  }
  return comparable.note === null ? lines : [...lines, comparable.note];
}

/** Of very many files only the first are kept: which others there were is not known. */
function comparedUpTo(...subjects: readonly Subject[]): {
  readonly has: (path: string) => boolean;
  readonly note: string | null;
} {
  const ends = subjects
    .filter(({ leftOut }) => leftOut > 0)
    .map(({ files }) => files.at(-1)?.path ?? "")
    .toSorted(byText);
  const [end] = ends;
  if (end === undefined) return { has: () => true, note: null };
  return {
    has: (path) => byText(path, end) <= 0,
    note: `[files after ${shown(end)} were not compared: there are too many to keep]`,
  };
}

async function changeOf(
  path: string,
  before: SubjectFile | undefined,
  after: SubjectFile | undefined,
): Promise<readonly string[]> {
  const head = [
    `--- ${before === undefined ? "(not there)" : shown(path)}`,
    `+++ ${after === undefined ? "(not there any more)" : shown(path)}`,
  ];
  if (before?.text === null || after?.text === null) return [...head, sizes(before, after)];
  // Only whoever has a difference to see pays for loading it.
  const { structuredPatch } = await import("diff");
  const patch = structuredPatch(path, path, before?.text ?? "", after?.text ?? "", undefined, undefined, {
    context: contextLines,
    maxEditLength: editedLinesMax,
  });
  if (patch === undefined) return [...head, sizes(before, after)];
  return [
    ...head,
    ...patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      `@@ -${rangeOf(oldStart, oldLines)} +${rangeOf(newStart, newLines)} @@`,
      ...lines.map(shownLine),
    ]),
  ];
}

/** Of no lines the place is before the first, as patches have it. */
function rangeOf(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}

function sizes(before: SubjectFile | undefined, after: SubjectFile | undefined): string {
  const said = (file: SubjectFile | undefined) =>
    file === undefined ? "nothing" : `${file.bytes} bytes, SHA-256 ${file.sha256}`;
  return `[not shown line by line: from ${said(before)} to ${said(after)}]`;
}

/** The sign stays its first character. A tab stays a tab. */
function shownLine(line: string): string {
  const cut = line.length > differenceLineCharsMax;
  const whole = cut ? line.slice(0, differenceLineCharsMax) : line;
  const text = withBytesShown(escapeControls(whole, "newline-tab"));
  return cut ? `${text} [${line.length - differenceLineCharsMax} more characters]` : text;
}
