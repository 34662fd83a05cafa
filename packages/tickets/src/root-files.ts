/** The root itself: its folder, and the files in it that tell git how to treat tickets. */
import { join } from "node:path/posix";
import { sweepTemporaries } from "@yoi/host";
import { isRootThere, type TicketPlace } from "./place.ts";

/** What two branches appended to one thread is kept from both; a lock and what a killed writer left are of one machine alone. */
export const gitFiles: Readonly<Record<string, string>> = {
  ".gitattributes": "*/thread.md merge=union\n",
  ".gitignore": "/.lock\n.*.tmp\n",
};

/** Throws permission_denied where a link leads to it. */
export async function makeRoot(place: TicketPlace): Promise<void> {
  await isRootThere(place);
  await place.files.makeDirectory(place.root);
}

/** Under the root's lock. What stands there already is left as it is. */
export async function addGitFiles({ files, kindAt, root }: TicketPlace): Promise<void> {
  for (const [name, text] of Object.entries(gitFiles)) {
    const path = join(root, name);
    if ((await kindAt(path)) !== null) continue;
    // What a writer that was killed at this left.
    await sweepTemporaries(files, root, Object.keys(gitFiles));
    await files.replace(path, Buffer.from(text));
  }
}
