/** A text of a ticket, read as it stands and only where it is a file: no link is followed. */
import { isUtf8 } from "node:buffer";
import { YoiError } from "@yoi/base";
import type { Files } from "@yoi/host";
import { notWhatItMustBe, type TicketPlace } from "./place.ts";

/** What is asked of the disk for it. */
export interface TextReader extends Pick<TicketPlace, "kindAt"> {
  readonly files: Pick<Files, "read" | "stat">;
}

export type FoundText =
  | { readonly found: "nothing" }
  /** Text, as it stands there. */
  | { readonly found: "text"; readonly text: string }
  /** Something that is no regular file. */
  | { readonly found: "no_file"; readonly kind: "directory" | "link" | "other" }
  | { readonly found: "too_large"; readonly bytes: number }
  /** Not UTF-8, or with a NUL in it. */
  | { readonly found: "no_text" };

/** Throws what the disk throws. */
export async function findText(
  path: string,
  bytesMax: number,
  { files, kindAt }: TextReader,
): Promise<FoundText> {
  const kind = await kindAt(path);
  if (kind === null) return { found: "nothing" };
  if (kind !== "file") return { found: "no_file", kind };
  const bytes = (await files.stat(path))?.bytes ?? 0;
  if (bytes > bytesMax) return { found: "too_large", bytes };
  const data = await files.read(path);
  if (data === null) return { found: "nothing" };
  if (!isUtf8(data) || data.includes(0)) return { found: "no_text" };
  return { found: "text", text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(data) };
}

/** Null: there is no file. Throws permission_denied for a link and a special file, ticket_damaged for what is no text or longer than any ticket's. */
export async function readText(path: string, bytesMax: number, reader: TextReader): Promise<string | null> {
  const found = await findText(path, bytesMax, reader);
  switch (found.found) {
    case "nothing":
      return null;
    case "text":
      return found.text;
    case "no_file":
      throw notWhatItMustBe(path, found.kind, "file");
    case "too_large":
      throw damaged(
        path,
        `has ${found.bytes} bytes, and at most ${bytesMax} are read: take out of it what is too long`,
      );
    case "no_text":
      throw damaged(path, "is not UTF-8 text: save it as UTF-8, or get it back from version control");
  }
}

export function damaged(path: string, what: string, line?: number): YoiError {
  const where = line === undefined ? path : `${path}, line ${line},`;
  return new YoiError("ticket_damaged", `${where} ${what}.`, {
    place: { path, ...(line === undefined ? {} : { line }) },
  });
}
