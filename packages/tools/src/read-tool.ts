/** Read: a text file, or a part of it, with line numbers. */
import { type Tool, type ToolOutput, YoiError } from "@yoi/base";
import { quotePath } from "@yoi/scope";
import { readArguments, schemaOf } from "./arguments.ts";
import { claimFile } from "./claim-file.ts";
import { lineCharsMax, numberLines } from "./number-lines.ts";
import type { ScopedFiles } from "./scoped-files.ts";
import { digestOf, type Seen } from "./seen.ts";
import { type TextFile, textOf } from "./text-file.ts";

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

export function readTool(files: ScopedFiles, seen: Seen): Tool {
  return {
    definition: {
      name: "Read",
      description:
        "Reads a text file. Each line comes as its number (from 1), a tab and its text. " +
        `At most ${readLinesDefault} lines and ${readBytesMax / 1024} KiB are shown unless you ask for a part with offset and limit; ` +
        `characters of a line beyond ${lineCharsMax} are left out and counted. Only lines that were shown can be edited.`,
      input_schema: schemaOf(fields),
    },
    readOnly: true,
    claim: (args) => claimFile(files, args["file_path"], "shared"),
    execute: async (args) => {
      const { file_path, offset = 1, limit = readLinesDefault } = readArguments("Read", fields, args);
      const { path, bytes } = await files.read(file_path);
      const file = textOf(bytes, path);
      return show(file, path, offset, limit, (ranges) =>
        seen.show(path, { sha256: digestOf(bytes), ranges, length: file.text.length }),
      );
    },
  };
}

function show(
  file: TextFile,
  path: string,
  offset: number,
  limit: number,
  note: (ranges: [number, number][]) => void,
): ToolOutput {
  const total = file.lineStarts.length - 1;
  if (total === 0) {
    note([]);
    return { summary: `Read ${quotePath(path)}: the file is empty` };
  }
  if (offset > total) {
    throw new YoiError(
      "usage",
      `The offset ${offset} is beyond the end of ${quotePath(path)}, which has ${lines(total)}.`,
    );
  }
  const shown = numberLines(file, offset, Math.min(total, offset + limit - 1), readBytesMax);
  note(shown.shown.map(([from, to]) => [from, to]));
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
  };
}

function lines(count: number): string {
  return count === 1 ? "1 line" : `${count} lines`;
}
