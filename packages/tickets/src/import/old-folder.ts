/** The folders of an old layout, read as they are; one with a link or a special file in it is none. */
import { join } from "node:path/posix";
import { messageOf, YoiError } from "@yoi/base";
import { surveyFolder } from "../doctor/survey.ts";
import { type OldBucket, oldBuckets } from "../legacy-fields.ts";
import {
  artifactsName,
  isDirectory,
  itemName,
  resolutionName,
  type TicketPlace,
  threadName,
} from "../place.ts";
import { itemBytesMax, threadBytesMax } from "../ticket.ts";
import type { NoTicket, OldTicket } from "./convert.ts";

export interface OldFolder {
  readonly bucket: OldBucket;
  readonly name: string;
}

type Machine = Pick<TicketPlace, "files" | "kindAt">;

const bytesMax: Readonly<Record<string, number>> = {
  [itemName]: itemBytesMax,
  [threadName]: threadBytesMax,
  [resolutionName]: threadBytesMax,
};

/** Throws usage where this is no old layout, permission_denied where a link is in its place or in a bucket's. */
export async function oldFolders(machine: Machine, directory: string): Promise<readonly OldFolder[]> {
  const there: OldBucket[] = [];
  if (await isDirectory(directory, machine))
    for (const bucket of oldBuckets)
      if (await isDirectory(join(directory, bucket), machine)) there.push(bucket);
  if (there.length === 0)
    throw new YoiError(
      "usage",
      `${directory} has none of the folders ${oldBuckets.join(", ")}: name the folder that has them, such as work-items.`,
    );
  const found: OldFolder[] = [];
  for (const bucket of there)
    for (const name of await machine.files.list(join(directory, bucket)))
      // Notes and .gitkeep files beside the tickets.
      if ((await machine.kindAt(`${directory}/${bucket}/${name}`)) !== "file") found.push({ bucket, name });
  return found;
}

/** What of it cannot be read says why. */
export async function readOldFolder(
  machine: Machine,
  folder: string,
  { bucket, name }: OldFolder,
): Promise<OldTicket | NoTicket> {
  try {
    if (!(await isDirectory(folder, machine))) return { why: "it is gone" };
    const { paths, cut } = await surveyFolder(machine, folder);
    if (cut) return { why: "it has more or deeper files than are looked at" };
    const odd = paths.find(({ kind }) => kind !== "file" && kind !== "directory");
    if (odd !== undefined)
      return {
        why: `${odd.path} is ${odd.kind === "link" ? "a symbolic link, and none is followed" : "neither a file nor a folder"}`,
      };
    const texts = new Map<string, Uint8Array>();
    for (const { path, kind, bytes } of paths) {
      const max = bytesMax[path];
      if (max === undefined || kind !== "file") continue;
      if (bytes > max) return { why: `its ${path} has more than ${max} bytes` };
      texts.set(path, (await machine.files.read(join(folder, path))) ?? new Uint8Array());
    }
    return {
      bucket,
      name,
      texts,
      others: paths.filter(({ path, kind }) => kind === "file" && !texts.has(path)).map(({ path }) => path),
      folders: paths
        .filter(({ path, kind }) => kind === "directory" && path.startsWith(`${artifactsName}/`))
        .map(({ path }) => path.slice(artifactsName.length + 1)),
    };
  } catch (error) {
    // A sentence, of which this is the end of another.
    if (error instanceof YoiError) return { why: messageOf(error).replace(/\.$/, "") };
    throw error;
  }
}
