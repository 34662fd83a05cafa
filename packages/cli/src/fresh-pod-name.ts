/** The name of a Pod that the user did not name: the directory's base name and four characters of a new id. */
import { basename } from "node:path";
import { type Ids, podName, type PodName } from "@yoi/base";

/** What is kept of a directory's name. */
export const baseCharsMax = 50;

export function freshPodName(directory: string, ids: Ids): PodName {
  const base = basename(directory)
    .replace(/[^A-Za-z0-9._-]/g, "-")
    .replace(/^[.-]+/, "")
    .slice(0, baseCharsMax);
  return podName(`${base === "" ? "pod" : base}-${ids.uuidV7().slice(-4)}`);
}
