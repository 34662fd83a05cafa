/** Marks of a merge that was not finished. */
import type { Findings } from "./problem.ts";

const marks = [/^<{7}( |$)/, /^={7}$/, /^>{7}( |$)/] as const;

/** Line, from 1, at which an unfinished merge begins: its three marks in their order; null: there is none. */
export function conflictAt(lines: readonly string[]): number | null {
  let begun = 0;
  let next = 0;
  for (const [index, line] of lines.entries()) {
    if (marks[0].test(line)) {
      begun = index + 1;
      next = 1;
    } else if (next > 0 && marks[next]?.test(line) === true) {
      next += 1;
      if (next === marks.length) return begun;
    }
  }
  return null;
}

const fence = /^ {0,3}(`{3,}|~{3,})[ \t]*(.*)$/;

/** Lines of Markdown without those between fences, where a text may well show the marks. */
export function outsideFences(lines: readonly string[]): string[] {
  let open: string | null = null;
  return lines.map((line) => {
    const [, mark = "", rest = ""] = fence.exec(line) ?? [];
    const isWithin = open !== null;
    if (open === null && mark !== "") open = mark;
    else if (open !== null && mark.startsWith(open) && rest === "") open = null;
    return isWithin ? "" : line;
  });
}

export function reportConflict(file: string, line: number, found: Findings): void {
  found.error(
    "conflict_markers",
    file,
    "A merge was not finished here: decide between the two sides and remove the marks of git.",
    { line },
  );
}
