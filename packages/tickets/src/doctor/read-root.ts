/** Reading a root for doctor: what stands in it and around it, ticket by ticket. */
import { basename, dirname, join } from "node:path/posix";
import { oldBuckets } from "../legacy-fields.ts";
import type { TicketPlace } from "../place.ts";
import { gitFiles } from "../root-files.ts";
import { type FoundRoot, type OldFolder, type RootFile, smallFileBytesMax } from "./check-root.ts";
import { surveyText, type FoundPath } from "./survey.ts";

type Surveyor = Pick<TicketPlace, "files" | "kindAt">;

/** What stands directly in a folder; nothing where there is no folder. Throws what the disk throws. */
async function pathsIn({ files, kindAt }: Surveyor, folder: string): Promise<FoundPath[]> {
  if ((await kindAt(folder)) !== "directory") return [];
  const paths: FoundPath[] = [];
  for (const path of await files.list(folder))
    paths.push({ path, kind: await kindAt(`${folder}/${path}`), bytes: 0 });
  return paths;
}

export async function readRoot(surveyor: Surveyor, root: string): Promise<Omit<FoundRoot, "imported">> {
  const files: RootFile[] = [];
  for (const [name, ours] of Object.entries(gitFiles)) {
    const text = await surveyText(surveyor, join(root, name), smallFileBytesMax);
    const lines = ours.split("\n").filter((line) => line !== "");
    files.push({ name, lines, text });
  }
  const workspace = workspaceOf(root);
  return {
    paths: await pathsIn(surveyor, root),
    files,
    old: [
      ...(await oldFolder(surveyor, root, { path: ".", command: `yoi ticket import "${root}"` })),
      ...(workspace === null
        ? []
        : await oldFolder(surveyor, join(workspace, "work-items"), {
            path: "../../work-items",
            command: "yoi ticket import",
          })),
    ],
    older: workspace === null ? [] : await singleFiles(surveyor, workspace),
  };
}

/** Null: the root is not where a workspace has it, so nothing around it is looked at. */
function workspaceOf(root: string): string | null {
  return basename(root) === "tickets" && basename(dirname(root)) === ".yoi" ? dirname(dirname(root)) : null;
}

async function oldFolder(
  surveyor: Surveyor,
  directory: string,
  said: Pick<OldFolder, "path" | "command">,
): Promise<OldFolder[]> {
  const tickets: string[] = [];
  for (const bucket of oldBuckets)
    for (const { path, kind } of await pathsIn(surveyor, join(directory, bucket)))
      if (kind === "directory") tickets.push(`${bucket}/${path}`);
  return tickets.length === 0 ? [] : [{ ...said, tickets }];
}

async function singleFiles(surveyor: Surveyor, workspace: string): Promise<string[]> {
  const found = (await pathsIn(surveyor, join(workspace, "tickets")))
    .filter(({ path, kind }) => kind === "file" && path.endsWith(".md"))
    .map(({ path }) => `../../tickets/${path}`);
  const todo = await surveyText(surveyor, join(workspace, "TODO.md"), smallFileBytesMax);
  if (todo.found === "text" && /\btickets\/[^\s/]+\.md\b/.test(todo.text)) found.push("../../TODO.md");
  return found;
}
