/** Read: a text file, or a part of it, with line numbers. */
import { type JsonObject, type Tool, type ToolOutput, YoiError } from "@yoi/base";
import { quotePath } from "@yoi/scope";
import { readArguments, schemaOf } from "./arguments.ts";
import { claimFile } from "./claim-file.ts";
import { imageOf } from "./image-file.ts";
import { lineCharsMax, numberLines } from "./number-lines.ts";
import type { ScopedFiles } from "./scoped-files.ts";
import { digestOf, type Seen } from "./seen.ts";
import { binaryKindOf, type TextFile, textOf } from "./text-file.ts";

export const readLinesDefault = 2000;
/** Below the bound on every tool's output, so that the table never cuts what Read decided to show. */
export const readBytesMax = 48 * 1024;

const fields = {
  file_path: { type: "string", description: "Absolute path of the file." },
  offset: {
    type: "integer",
    description:
      "Number of the first line to show, as printed before the lines: the first line of a file is 1. Default 1.",
    min: 1,
    max: 1_000_000_000,
    optional: true,
  },
  limit: {
    type: "integer",
    description: `How many lines to show. Default ${readLinesDefault}.`,
    min: 1,
    max: 1_000_000,
    optional: true,
  },
} as const;

export function readTool(files: ScopedFiles, seen: Seen, seesImages: () => boolean): Tool {
  return {
    definition: {
      name: "Read",
      description:
        "Reads a text file, or shows an image (PNG, JPEG, GIF, WebP). Each line comes as its number (from 1), a tab and its text. " +
        `At most ${readLinesDefault} lines and ${readBytesMax / 1024} KiB are shown unless you ask for a part with offset and limit; ` +
        `characters of a line beyond ${lineCharsMax} are left out and counted. Only lines that were shown can be edited.`,
      input_schema: schemaOf(fields),
    },
    readOnly: true,
    claim: (args) => claimFile(files, args["file_path"], "shared"),
    execute: async (args) => {
      const { file_path, offset = 1, limit = readLinesDefault } = readArguments("Read", fields, args);
      const { path, bytes } = await files.read(file_path);
      if (binaryKindOf(bytes) !== null) {
        const image = await showImage(bytes, path, seesImages());
        if (image !== null) return image;
      }
      const file = textOf(bytes, path);
      return show(file, path, offset, limit, (ranges) =>
        seen.show(path, { sha256: digestOf(bytes), ranges, length: file.text.length }),
      );
    },
  };
}

/** Null: it is no image. */
async function showImage(bytes: Buffer, path: string, seesImages: boolean): Promise<ToolOutput | null> {
  const picture = await imageOf(bytes, path);
  if (picture === null) return null;
  const summary = `Read the image ${quotePath(path)} (${picture.description})`;
  if (!seesImages)
    return { summary: `${summary}: it is not shown, because the model in use does not see images` };
  return { summary, images: [picture.image] };
}

function show(
  file: TextFile,
  path: string,
  offset: number,
  limit: number,
  note: (ranges: [number, number][]) => JsonObject,
): ToolOutput {
  const total = file.lineStarts.length - 1;
  if (total === 0) {
    return { summary: `Read ${quotePath(path)}: the file is empty`, record: note([]) };
  }
  if (offset > total) {
    throw new YoiError(
      "usage",
      `The offset ${offset} is beyond the end of ${quotePath(path)}, which has ${lines(total)}.`,
    );
  }
  const shown = numberLines(file, offset, Math.min(total, offset + limit - 1), readBytesMax);
  const last = shown.next - 1;
  const remarks = [
    ...(last < total ? [`${lines(total - last)} more: go on with offset ${shown.next}`] : []),
    ...(last === total && !file.endsWithNewline ? ["no newline at the end of the file"] : []),
    ...(file.usesCrlf ? ["lines end with CRLF"] : []),
    ...(file.exact ? [] : ["not valid UTF-8: other bytes are shown as U+FFFD, and Edit refuses the file"]),
    ...(shown.cutLines > 0 ? [`${lines(shown.cutLines)} cut at ${lineCharsMax} characters`] : []),
  ];
  const part = offset === 1 && last === total ? lines(total) : `lines ${offset} to ${last} of ${total}`;
  return {
    summary: `Read ${part} of ${quotePath(path)}${remarks.length > 0 ? ` (${remarks.join("; ")})` : ""}`,
    content: shown.text,
    record: note(shown.shown.map(([from, to]) => [from, to])),
  };
}

function lines(count: number): string {
  return count === 1 ? "1 line" : `${count} lines`;
}
