/** What stands in the root beside the tickets, and what an older layout left around it. */
import { utf8Length } from "@yoi/base";
import { temporaryOf } from "@yoi/host";
import { oldBuckets } from "../legacy-fields.ts";
import { lockName } from "../place.ts";
import { isTicketId } from "../ticket-id.ts";
import { checkText } from "./check-folder.ts";
import { findings, type Findings, type Problem } from "./problem.ts";
import type { FoundPath, SurveyedText } from "./survey.ts";

/** Bytes of a file of the root, and of a TODO.md, that are read. */
export const smallFileBytesMax = 1024 * 1024;

/** A file of the root that git reads, and the lines that it has to have. */
export interface RootFile {
  readonly name: string;
  readonly lines: readonly string[];
  readonly text: SurveyedText;
}

/** A folder of the old layout. */
export interface OldFolder {
  /** Relative to the root. */
  readonly path: string;
  /** Which brings it in, wherever in the workspace it is typed. */
  readonly command: string;
  /** `open/20260603-122317-name` of each ticket in it. */
  readonly tickets: readonly string[];
}

export interface FoundRoot {
  /** Directly in the root. */
  readonly paths: readonly FoundPath[];
  readonly files: readonly RootFile[];
  readonly old: readonly OldFolder[];
  /** Paths of `tickets/*.md` and of a TODO.md that names such, relative to the root. */
  readonly older: readonly string[];
  /** `legacy.id` of the tickets that came in: the name of the folder that each was. */
  readonly imported: ReadonlySet<string>;
}

export function checkRoot(root: FoundRoot): Problem[] {
  const found = findings(null);
  const own = root.files.map(({ name }) => name);
  const ids = new Set(root.paths.filter(({ path }) => isTicketId(path)).map(({ path }) => path));
  for (const one of root.paths) checkPath(one, { own, ids }, found);
  for (const file of root.files) checkFile(file, found);
  for (const { path, command, tickets } of root.old) {
    const waiting = tickets.filter((one) => !root.imported.has(one.slice(one.indexOf("/") + 1)));
    if (waiting.length > 0)
      found.warning(
        "old_layout",
        path,
        `Tickets of the old layout are here that did not come in, ${waiting[0]} first of ${waiting.length}: ${command}`,
      );
  }
  for (const path of root.older)
    found.warning(
      "old_layout",
      path,
      "This is, or names, a ticket kept as a single file: make a ticket of it with yoi ticket create --file, then remove it.",
    );
  return [...found.problems];
}

function checkPath(
  { path, kind }: FoundPath,
  { own, ids }: { readonly own: readonly string[]; readonly ids: ReadonlySet<string> },
  found: Findings,
): void {
  if (kind === "link")
    return found.error(
      "link",
      path,
      "This is a symbolic link, which no command follows: put what it points at here.",
    );
  if (kind === "other" || kind === null)
    return found.error("special_file", path, "This is neither a file nor a folder: remove it.");
  if (kind === "file") return checkRootFile(path, own, found);
  // That it is no file is said where its text is checked.
  if (own.includes(path)) return;
  if (ids.has(path) || oldBuckets.some((bucket) => bucket === path)) return;
  if (ids.has(path.toUpperCase()))
    return found.error(
      "duplicate_id",
      path,
      `This is ${path.toUpperCase()} in lower case, and the same folder on some systems: move what is missing there into that one, and remove this one.`,
    );
  found.error(
    "folder_name",
    path,
    isTicketId(path.toUpperCase())
      ? `The id of a ticket is in upper case: rename this folder to ${path.toUpperCase()}.`
      : "This is not the id of a ticket (13 characters of 0-9 and A-Z without I, L, O and U): rename the folder, or move it away.",
  );
}

function checkRootFile(name: string, own: readonly string[], found: Findings): void {
  if (own.includes(name) || name === lockName) return;
  if (own.includes(temporaryOf(name) ?? ""))
    return found.warning("leftover_temporary", name, "A writer that was cut short left this file.", {
      fix: { kind: "remove_temporary", path: name },
    });
  if (name === ".ticket-backend.lock")
    return found.warning(
      "other_lock",
      name,
      "This is the lock of another tool, which nothing here waits for: remove it once that one is gone.",
    );
  found.warning("unknown_file", name, "Nothing but tickets has its place here: move this file away.");
}

/** Only what is missing, and text, can be completed: what else stands there is somebody's, and not ours to read or to write over. */
function checkFile({ name, lines, text: file }: RootFile, found: Findings): void {
  checkText(name, file, found);
  if (file.found !== "nothing" && file.found !== "text") return;
  const text = file.found === "text" ? file.text : "";
  const there = new Set(text.split(/\r?\n/).map((line) => line.trim()));
  const missing = lines.filter((line) => !there.has(line));
  if (missing.length === 0) return;
  const hasRoom = utf8Length(completed(text, missing)) <= smallFileBytesMax;
  found.warning(
    "git_settings",
    name,
    file.found === "nothing"
      ? `${name} is missing, which has git merge threads and leave out what is only of this machine.`
      : `${name} lacks ${missing.map((line) => JSON.stringify(line)).join(" and ")}.`,
    hasRoom ? { fix: { kind: "complete", name, lines: missing } } : {},
  );
}

/** With the lines behind it. */
export function completed(text: string, lines: readonly string[]): string {
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${lines.join("\n")}\n`;
}
