/** Survey: what stands on disk under a root, read as it is: no link is followed, and nothing that is wrong stops it. */
import { join } from "node:path/posix";
import { isUtf8 } from "node:buffer";
import { messageOf } from "@yoi/base";
import type { Files } from "@yoi/host";
import type { KindAt, TicketPlace } from "../place.ts";

/** What is asked of the disk to look at it. */
interface Surveyor extends Pick<TicketPlace, "kindAt"> {
  readonly files: Pick<Files, "list" | "read" | "stat">;
}
type PathKind = Awaited<ReturnType<KindAt>>;

export type FoundText =
  | { readonly found: "nothing" }
  /** Text, as it stands there. */
  | { readonly found: "text"; readonly text: string }
  /** Something that is no regular file. */
  | { readonly found: "no_file"; readonly kind: "directory" | "link" | "other" }
  | { readonly found: "too_large"; readonly bytes: number }
  /** Not UTF-8, or with a NUL in it. */
  | { readonly found: "no_text" }
  | { readonly found: "unreadable"; readonly why: string };

export interface FoundPath {
  /** Relative to the folder that was listed. */
  readonly path: string;
  readonly kind: PathKind;
  /** Of a file. */
  readonly bytes: number;
}

export interface Listing {
  /** A directory stands before what is in it. */
  readonly paths: readonly FoundPath[];
  /** There is more below than is looked at. */
  readonly cut: boolean;
}

/** Paths of one folder that are looked at. */
export const listedPathsMax = 10_000;
/** How deep folders in folders are looked into. */
export const listedDepthMax = 32;

export async function surveyText(
  { files, kindAt }: Surveyor,
  path: string,
  bytesMax: number,
): Promise<FoundText> {
  try {
    const kind = await kindAt(path);
    if (kind === null) return { found: "nothing" };
    if (kind !== "file") return { found: "no_file", kind };
    const bytes = (await files.stat(path))?.bytes ?? 0;
    if (bytes > bytesMax) return { found: "too_large", bytes };
    const data = await files.read(path);
    if (data === null) return { found: "nothing" };
    if (!isUtf8(data) || data.includes(0)) return { found: "no_text" };
    return { found: "text", text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(data) };
  } catch (error) {
    return { found: "unreadable", why: messageOf(error) };
  }
}

/** All that is below a folder. Throws what the disk throws. */
export async function surveyFolder({ files, kindAt }: Surveyor, folder: string): Promise<Listing> {
  const paths: FoundPath[] = [];
  let cut = false;
  async function walk(below: string, depth: number): Promise<void> {
    for (const name of await files.list(join(folder, below))) {
      if (paths.length === listedPathsMax) {
        cut = true;
        return;
      }
      // Joined by hand: a name is taken as it is.
      const path = below === "" ? name : `${below}/${name}`;
      const whole = `${folder}/${path}`;
      const kind = await kindAt(whole);
      const bytes = kind === "file" ? ((await files.stat(whole))?.bytes ?? 0) : 0;
      paths.push({ path, kind, bytes });
      if (kind !== "directory") continue;
      if (depth === listedDepthMax) cut = true;
      else await walk(path, depth + 1);
    }
  }
  await walk("", 1);
  return { paths, cut };
}
