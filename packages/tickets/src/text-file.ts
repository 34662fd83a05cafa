/** A text of a ticket, read as it stands and only where it is a file: no link is followed. */
import { isUtf8 } from "node:buffer";
import { YoiError } from "@yoi/base";
import { notWhatItMustBe, type TicketPlace } from "./place.ts";

/** Null: there is no file. Throws permission_denied for a link and a special file, ticket_damaged for what is no text or longer than any ticket's. */
export async function readText(
  path: string,
  bytesMax: number,
  { files, kindAt }: Pick<TicketPlace, "files" | "kindAt">,
): Promise<string | null> {
  const kind = await kindAt(path);
  if (kind === null) return null;
  if (kind !== "file") throw notWhatItMustBe(path, kind, "file");
  const bytes = (await files.stat(path))?.bytes ?? 0;
  if (bytes > bytesMax)
    throw damaged(
      path,
      `has ${bytes} bytes, and at most ${bytesMax} are read: take out of it what is too long`,
    );
  const data = await files.read(path);
  if (data === null) return null;
  if (!isUtf8(data) || data.includes(0))
    throw damaged(path, "is not UTF-8 text: save it as UTF-8, or get it back from version control");
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(data);
}

export function damaged(path: string, what: string, line?: number): YoiError {
  const where = line === undefined ? path : `${path}, line ${line},`;
  return new YoiError("ticket_damaged", `${where} ${what}.`, {
    place: { path, ...(line === undefined ? {} : { line }) },
  });
}
