/** What may stand in a ticket's folder: its files, plain folders below `artifacts/`, and no link anywhere. */
import { escapeControls } from "@yoi/base";
import { temporaryOf } from "@yoi/host";
import { artifactsName, ticketFiles } from "../place.ts";
import type { Findings } from "./problem.ts";
import type { FoundPath, Listing, SurveyedText } from "./survey.ts";

/** Bytes of an artifact from which on it is hardly meant for a repository. */
export const artifactBytesMax = 8 * 1024 * 1024;

/** Of a tool that kept in files of their own what stands in threads here. */
const foreignRecords: Readonly<Record<string, string>> = {
  [`${artifactsName}/relations.json`]:
    "Another tool wrote relations down here, and nothing waits for what they name: say them with yoi ticket link, then remove this file.",
  [`${artifactsName}/orchestration-plan.jsonl`]:
    "Another tool wrote down here how work was to be ordered, which nothing reads: say what still counts with yoi ticket link and plan, then remove this file.",
};

export function checkFolder(id: string, { paths, cut }: Listing, found: Findings): void {
  for (const one of paths) checkPath(id, one, found);
  if (cut)
    found.warning(
      "folder_large",
      "",
      "There are more or deeper folders and files here than are looked at, so not all were checked: keep such a tree in an archive.",
    );
}

function checkPath(id: string, { path, kind, bytes }: FoundPath, found: Findings): void {
  const [top = "", ...below] = path.split("/");
  const inArtifacts = top === artifactsName && below.length > 0;
  const name = below.at(-1) ?? top;
  if (kind === "link")
    return found.error(
      "link",
      path,
      "This is a symbolic link, which no command follows: put the file itself here.",
    );
  if (kind === "other")
    return found.error(
      "special_file",
      path,
      "This is neither a file nor a folder, and nothing else may be in a ticket: remove it.",
    );
  if (kind === null || name.includes("\\") || escapeControls(name) !== name)
    return found.error(
      "name_unsafe",
      path,
      `${JSON.stringify(name)} means something else on another system or in a terminal, or cannot be read: rename it.`,
    );
  if (inArtifacts) {
    const record = foreignRecords[path];
    if (kind === "file" && record !== undefined) found.warning("foreign_record", path, record);
    if (kind === "file" && bytes > artifactBytesMax)
      found.warning(
        "artifact_large",
        path,
        `This file has ${bytes} bytes, more than ${artifactBytesMax}: keep what is that large outside of the repository and say where.`,
      );
    return;
  }
  if (below.length > 0) return;
  if (kind === "file" && ticketFiles.includes(temporaryOf(name) ?? ""))
    return found.warning(
      "leftover_temporary",
      path,
      "A writer that was cut short left this file; what it was to become is in its place or never was.",
      { fix: { kind: "remove_temporary", path: `${id}/${path}` } },
    );
  if (top === artifactsName) {
    if (kind !== "directory")
      found.error(
        "special_file",
        path,
        "artifacts has to be a folder: move this file into one of that name.",
      );
    return;
  }
  if (!ticketFiles.includes(top))
    found.warning("unknown_file", path, "No ticket has this file: move it to artifacts/, or remove it.");
}

/** Says why a file that has to be text could not be read; null: it is text, or there is none. */
export function checkText(file: string, text: SurveyedText, found: Findings): void {
  switch (text.found) {
    case "text":
    case "nothing":
      return;
    case "no_file":
      // Links and special files are reported where the folder is checked.
      if (text.kind === "directory")
        found.error("special_file", file, `${file} has to be a file: move this folder away.`);
      return;
    case "too_large":
      return found.error(
        "too_large",
        file,
        `${file} has ${text.bytes} bytes, more than is read: take out of it what is too long.`,
      );
    case "no_text":
      return found.error(
        "no_text",
        file,
        `${file} is not UTF-8 text, or has a NUL in it: save it as UTF-8, or get it back from version control.`,
      );
    case "unreadable":
      return found.error("unreadable", file, `${file} cannot be read: ${text.why}`);
  }
}
