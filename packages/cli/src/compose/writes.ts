/** `--read-only` and `--write`: where a Pod may write at most, as the user typed it or as the Pod keeps it. */
import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type Scope, YoiError } from "@yoi/base";
import type { Manifest } from "@yoi/manifest";
import { isWithin, permissionAt } from "@yoi/scope";
import type { PodFlags } from "./pod-flags.ts";

/** Directories of one Pod: each is a rule of its scope. */
export const writesMax = 64;

/** Canonical directories; none: it writes nothing; undefined: nobody narrowed it. What is typed takes the place of what was kept. Throws usage. */
export async function writesInForce(
  { readOnly, write }: PodFlags,
  workspace: string,
  kept: Manifest | null,
): Promise<readonly string[] | undefined> {
  if (readOnly === true) return [];
  if (write === undefined) return kept?.writes;
  if (write.length > writesMax)
    throw new YoiError("usage", `--write is given ${write.length} times, and the most is ${writesMax}.`);
  const directories = await Promise.all(write.map((path) => writableDirectory(path, workspace)));
  const distinct = [...new Set(directories)];
  return distinct.filter((one) => !distinct.some((other) => other !== one && isWithin(other, one)));
}

/** @param scope as it is with the directories in force. Throws usage where one lies outside of the workspace and no rule lets it be written. */
export function checkWrites(writes: readonly string[], { workspace, scope }: WritesIn): void {
  for (const path of writes) {
    if (isWithin(workspace, path) || permissionAt(scope, path) === "write") continue;
    throw new YoiError(
      "usage",
      `--write names ${JSON.stringify(path)}, which lies outside of the workspace ${workspace}, and no rule of yours lets the Pod write there: it only narrows what a Pod may write.`,
    );
  }
}

interface WritesIn {
  readonly workspace: string;
  readonly scope: Scope;
}

/** Relative to the workspace, as all paths of a Pod are. */
async function writableDirectory(given: string, workspace: string): Promise<string> {
  const shown = JSON.stringify(given);
  const path = await realpath(resolve(workspace, given)).catch((error: unknown) => {
    throw new YoiError(
      "usage",
      `--write names ${shown}, which cannot be found in the workspace ${workspace}: name a directory that is there.`,
      { cause: error },
    );
  });
  if (!(await stat(path)).isDirectory())
    throw new YoiError(
      "usage",
      `--write names ${shown}, which is not a directory: name the one that holds it.`,
    );
  return path;
}
