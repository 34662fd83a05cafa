/** importOld: tickets of an old layout come in, each whole or not at all; the old folders stay as they are. */
import { basename, dirname, join } from "node:path/posix";
import { isJsonObject, YoiError } from "@yoi/base";
import { sweepTemporaries, temporaryOf } from "@yoi/host";
import { ticketIds } from "../catalog.ts";
import { surveyFolder } from "../doctor/survey.ts";
import { parseItem } from "../item.ts";
import { legacyField } from "../legacy-fields.ts";
import {
  artifactsName,
  folderOf,
  itemName,
  resolutionName,
  type TicketDesk,
  threadName,
  ticketFiles,
} from "../place.ts";
import { damaged, readText } from "../text-file.ts";
import { parseThread } from "../thread.ts";
import { encodeTicketId, timeOfTicketId } from "../ticket-id.ts";
import { type Actor, itemBytesMax, threadBytesMax, ticketsMax } from "../ticket.ts";
import { convert, type Converted } from "./convert.ts";
import { type OldFolder, oldFolders, readOldFolder } from "./old-folder.ts";
import type { ImportedTicket, ImportReport } from "./report.ts";

/** A ticket that came in before, or began to. */
interface Known {
  readonly id: string;
  /** whole: its thread says so. begun: killed before that. touched: begun, and somebody wrote into it since. */
  readonly progress: "whole" | "begun" | "touched";
}

interface Coming {
  readonly folder: OldFolder;
  readonly converted: Converted;
}

/**
 * Under the root's lock. The write that makes a ticket of one is that of its thread, which says where it came from; one that was killed before that
 * is written again by the next run, under the id that it had.
 */
export async function importOld(desk: TicketDesk, directory: string, actor: Actor): Promise<ImportReport> {
  const folders = await oldFolders(desk, directory);
  const before = await knownTickets(desk);
  const known: { id: string; from: string }[] = [];
  const refused: string[] = [];
  const coming: Coming[] = [];
  for (const folder of folders) {
    const from = `${folder.bucket}/${folder.name}`;
    const there = before.get(folder.name);
    const twins = folders.filter(({ name }) => name === folder.name).map(({ bucket }) => bucket);
    if (twins.length > 1)
      refused.push(`${from} did not come in: the same name is in ${twins.join(" and ")}; keep one of them.`);
    else if (there?.progress === "whole") known.push({ id: there.id, from });
    else if (there?.progress === "touched")
      refused.push(
        `${from} did not come in: ticket ${there.id} is what an import that was killed left of it, and has events since; move that folder away, run this again, and write them anew.`,
      );
    else {
      const converted = await read(desk, directory, { folder, actor });
      if ("why" in converted) refused.push(`${from} did not come in: ${converted.why}.`);
      else coming.push({ folder, converted });
    }
  }
  checkRoom(desk, (await ticketIds(desk)).length + coming.length);
  const imported: ImportedTicket[] = [];
  let nextMs = 0;
  for (const one of coming.toSorted(byAge)) {
    const id = before.get(one.folder.name)?.id ?? (await freeId(desk, one.converted, nextMs));
    // Many may be of one second: no id is looked at twice.
    nextMs = timeOfTicketId(id) + 1;
    imported.push(await write(desk, directory, { ...one, id }));
  }
  return { imported, known, refused };
}

async function read(
  desk: TicketDesk,
  directory: string,
  { folder, actor }: { readonly folder: OldFolder; readonly actor: Actor },
): Promise<ReturnType<typeof convert>> {
  const old = await readOldFolder(desk, `${directory}/${folder.bucket}/${folder.name}`, folder);
  return "why" in old ? old : convert(old, { actor, nowMs: desk.clock.now() });
}

function checkRoom({ root }: TicketDesk, tickets: number): void {
  if (tickets > ticketsMax)
    throw new YoiError(
      "limit_exceeded",
      `There would be ${tickets} tickets in ${root}, and at most ${ticketsMax} are kept: move folders of closed ones elsewhere, and run this again.`,
    );
}

/** By the name of the old folder. Throws what `readText` throws: one that cannot be read may be what is to come in. */
async function knownTickets(desk: TicketDesk): Promise<ReadonlyMap<string, Known>> {
  const known = new Map<string, Known>();
  for (const id of await ticketIds(desk)) {
    const folder = folderOf(desk, id);
    const path = join(folder, itemName);
    const item = await readText(path, itemBytesMax, desk);
    if (item === null) continue;
    const { fields, problems } = parseItem(item);
    const [problem] = problems.filter(({ check }) => check === "front_matter");
    if (problem !== undefined) throw damaged(path, `cannot be read: ${problem.message}`, problem.line);
    const legacy = fields[legacyField];
    const name = isJsonObject(legacy) ? legacy["id"] : undefined;
    if (typeof name !== "string") continue;
    const thread = await readText(join(folder, threadName), threadBytesMax, desk);
    const isWhole = parseThread(thread ?? "").events.some(({ event }) => event.kind === "migration");
    known.set(name, { id, progress: isWhole ? "whole" : thread === null ? "begun" : "touched" });
  }
  return known;
}

/** So that ids of one second are in the order of names. */
function byAge({ folder: a, converted: left }: Coming, { folder: b, converted: right }: Coming): number {
  if (left.createdMs !== right.createdMs) return left.createdMs - right.createdMs;
  return a.name < b.name ? -1 : 1;
}

async function write(
  desk: TicketDesk,
  directory: string,
  { folder, converted, id }: Coming & { readonly id: string },
): Promise<ImportedTicket> {
  const { files } = desk;
  const from = `${folder.bucket}/${folder.name}`;
  const place = folderOf(desk, id);
  const artifacts = join(place, artifactsName);
  await files.makeDirectory(place);
  await sweepTemporaries(files, place, ticketFiles);
  for (const path of converted.folders) await files.makeDirectory(join(artifacts, path));
  for (const path of converted.artifacts.keys()) {
    const folder = join(artifacts, dirname(path));
    await files.makeDirectory(folder);
    await sweepTemporaries(files, folder, [basename(path)]);
  }
  for (const [path, content] of converted.artifacts) {
    const { bytes, executable } = await contentOf(desk, join(directory, from), content);
    await files.replace(join(artifacts, path), bytes, { executable });
  }
  if (converted.resolution !== null)
    await files.replace(join(place, resolutionName), Buffer.from(converted.resolution));
  await files.replace(join(place, itemName), Buffer.from(converted.item));
  await files.replace(join(place, threadName), Buffer.from(converted.thread));
  const { title, events } = converted;
  return { id, title, from, events, artifacts: converted.artifacts.size };
}

async function contentOf(
  { files }: TicketDesk,
  old: string,
  content: Uint8Array | { readonly from: string },
): Promise<{ readonly bytes: Uint8Array; readonly executable: boolean }> {
  if (!("from" in content)) return { bytes: content, executable: false };
  const path = join(old, content.from);
  const bytes = await files.read(path);
  if (bytes === null) throw new YoiError("io_failed", `${path} is gone: run the import again.`);
  return { bytes, executable: (await files.stat(path))?.executable === true };
}

/**
 * From when it was created, and not below `fromMs`; a folder in which nothing stands but what this import would write is what a killed one left. There is one: at
 * most `ticketsMax` are taken.
 */
async function freeId(
  desk: TicketDesk,
  { createdMs, artifacts }: Converted,
  fromMs: number,
): Promise<string> {
  const below = [...artifacts.keys()].map((path) => `${artifactsName}/${path}`);
  const ours = new Set([...ticketFiles, ...below]);
  for (let ms = Math.max(createdMs, fromMs); ; ms += 1) {
    const id = encodeTicketId(ms);
    const folder = folderOf(desk, id);
    const kind = await desk.kindAt(folder);
    if (kind === null) return id;
    if (kind !== "directory") continue;
    const { paths } = await surveyFolder(desk, folder);
    const isOurs = paths.every(
      ({ path, kind: what }) =>
        what === "directory" ||
        // Only their temporaries: where one of the two is, this is a ticket.
        (what === "file" &&
          (ours.has(temporaryOf(path) ?? "") || path === resolutionName || below.includes(path))),
    );
    if (isOurs) return id;
  }
}
