/** What a Pod's tools changed since its session began, against the files as they are now: a patch a file. */
import { escapeControls } from "@yoi/base";
import type { ToldFile } from "@yoi/pod";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { readSmallFile } from "../compose/read-small-file.ts";

/** Of a file that is compared. */
export const comparedBytesMax = 512 * 1024;
/** Of all patches together. */
const patchesBytesMax = 1024 * 1024;
/** For one file: what takes longer is not shown line by line. */
const comparingMs = 500;
const contextLines = 3;

export interface FileChange {
  readonly path: string;
  /** Unified; null: there is none to show. */
  readonly patch: string | null;
  /** What else is to be said, as one line; "": nothing. */
  readonly note: string;
}

/** @param copy what a file held, by its digest; null: it is not there any more */
export async function fileChanges(
  files: readonly ToldFile[],
  copy: (sha256: string) => Promise<Uint8Array | null>,
): Promise<readonly FileChange[]> {
  const changes: FileChange[] = [];
  let room = patchesBytesMax;
  for (const { path, wish, why, outcome } of files) {
    const change = wish === null ? unknown(path, why ?? outcome) : await changeOf(path, wish.before, copy);
    if (change === null) continue;
    room -= change.patch?.length ?? 0;
    changes.push(room < 0 ? { path, patch: null, note: "changed; there is more than is shown" } : change);
  }
  return changes;
}

/** Controls made visible, lines kept. Ends with a line end, or is empty. */
export function fileChangesText(changes: readonly FileChange[]): string {
  return changes
    .map(({ path, patch, note }) =>
      patch === null
        ? `${escapeControls(path)}: ${escapeControls(note)}\n`
        : escapeControls(patch, "newline-tab"),
    )
    .join("");
}

function unknown(path: string, why: string): FileChange {
  const said =
    why === "changed_since" ? "somebody else changed it too" : why === "not_kept" ? "no copy was kept" : why;
  return { path, patch: null, note: `changed; ${said}` };
}

/** Null: it is as it was. */
async function changeOf(
  path: string,
  before: string | null,
  copy: (sha256: string) => Promise<Uint8Array | null>,
): Promise<FileChange | null> {
  const was = before === null ? null : await copy(before);
  if (before !== null && was === null) return unknown(path, "not_kept");
  const now = await readSmallFile(path, comparedBytesMax);
  if (now.kind !== "read" && now.kind !== "missing")
    return {
      path,
      patch: null,
      note: now.kind === "unreadable" ? `cannot be read (${now.code})` : "changed; too large to be compared",
    };
  if (was !== null && was.byteLength > comparedBytesMax)
    return { path, patch: null, note: "changed; too large to be compared" };
  const old = was === null ? "" : Buffer.from(was).toString("utf8");
  const text = now.kind === "read" ? now.text : "";
  if (old === text && (was === null) === (now.kind === "missing")) return null;
  if (old.includes("\0") || text.includes("\0")) return { path, patch: null, note: "changed; it is no text" };
  // A name of several lines is not to look like a part of the patch.
  const name = escapeControls(path);
  const patch = createTwoFilesPatch(
    was === null ? "/dev/null" : name,
    now.kind === "missing" ? "/dev/null" : name,
    old,
    text,
    undefined,
    undefined,
    { context: contextLines, timeout: comparingMs, headerOptions: FILE_HEADERS_ONLY },
  );
  return patch === undefined
    ? { path, patch: null, note: "changed; too different to be compared line by line" }
    : { path, patch: patch, note: "" };
}
