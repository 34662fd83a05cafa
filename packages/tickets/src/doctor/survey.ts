/** Survey: what stands on disk under a root, read as it is: no link is followed, and nothing that is wrong stops it. */
import { join } from "node:path/posix";
import { messageOf } from "@yoi/base";
import type { Files } from "@yoi/host";
import type { KindAt, TicketPlace } from "../place.ts";
import { findText, type FoundText } from "../text-file.ts";

/** What is asked of the disk to look at it. */
interface Surveyor extends Pick<TicketPlace, "kindAt"> {
  readonly files: Pick<Files, "list" | "read" | "stat">;
}
type PathKind = Awaited<ReturnType<KindAt>>;

/** Or why the disk does not give it: one text that cannot be read stops nothing. */
export type SurveyedText = FoundText | { readonly found: "unreadable"; readonly why: string };

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

export async function surveyText(surveyor: Surveyor, path: string, bytesMax: number): Promise<SurveyedText> {
  try {
    return await findText(path, bytesMax, surveyor);
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
