/** The name of a Pod that the user did not name: the directory's base name and four characters of a new id. */
import { basename } from "node:path";
import { type Ids, podName, type PodName, YoiError } from "@yoi/base";

/** What is kept of a directory's name. */
export const baseCharsMax = 50;

export function freshPodName(directory: string, ids: Ids): PodName {
  const base = basename(directory)
    .replace(/[^A-Za-z0-9._-]/g, "-")
    .replace(/^[.-]+/, "")
    .slice(0, baseCharsMax);
  return podName(`${base === "" ? "pod" : base}-${ids.uuidV7().slice(-4)}`);
}

/** How many names are drawn before it is said that none is free. */
export const drawsMax = 16;

/**
 * Hands `use` one name after the other until one is new. `use` says by pod_exists or pod_held that a name is somebody else's: only
 * whoever has a name's lease knows that it is free.
 */
export async function withFreshPodName<T>(
  directory: string,
  ids: Ids,
  use: (name: PodName) => Promise<T>,
): Promise<T> {
  for (let draw = 1; ; draw += 1) {
    const name = freshPodName(directory, ids);
    try {
      return await use(name);
    } catch (error) {
      if (!(error instanceof YoiError) || (error.code !== "pod_exists" && error.code !== "pod_held"))
        throw error;
      if (draw === drawsMax) {
        throw new YoiError(
          "pod_exists",
          `${drawsMax} names drawn for a new Pod, the last one ${name}, were all taken: name it with --pod.`,
          { cause: error },
        );
      }
    }
  }
}
