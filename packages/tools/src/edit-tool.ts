/** Edit: replaces text in a file that was read. */
import { type Tool, YoiError } from "@yoi/base";
import { quotePath } from "@yoi/scope";
import { readArguments, schemaOf } from "./arguments.ts";
import { changeDiff } from "./change-diff.ts";
import { claimFile } from "./claim-file.ts";
import { type FileCopies, keepBefore, touchedRecord } from "./copies/touched.ts";
import { findText, hintFor } from "./find-text.ts";
import { numberLines } from "./number-lines.ts";
import { fileBytesMax, type ScopedFiles } from "./scoped-files.ts";
import { digestOf, type Seen, type SeenFile, shiftRanges, wasSeen } from "./seen.ts";
import { lineAt, lineStartsOf, type TextFile, textOf } from "./text-file.ts";
import { changedSince } from "./write-tool.ts";

/** Lines shown before and after the changed ones. */
const contextLines = 3;
const snippetLinesMax = 60;
const snippetBytesMax = 8 * 1024;
/** Line numbers named in one message. */
const namedLinesMax = 10;

const fields = {
  file_path: { type: "string", description: "Absolute path of the file." },
  old_string: {
    type: "string",
    description: "The text to replace, exactly as it is in the file, without line numbers.",
  },
  new_string: { type: "string", description: "The text to put in its place." },
  replace_all: {
    type: "boolean",
    description: "Replace every occurrence. Default false: old_string must occur once.",
    optional: true,
  },
} as const;

/** @param copies where what a file holds is kept before it is changed; null: nowhere. */
export function editTool(files: ScopedFiles, seen: Seen, copies: FileCopies | null = null): Tool {
  return {
    definition: {
      name: "Edit",
      description:
        "Replaces text in a file. The lines that hold it must have been shown by Read, and the file must be unchanged since. " +
        "old_string must occur exactly once unless replace_all is true: add lines around it to make it unique.",
      input_schema: schemaOf(fields),
    },
    readOnly: false,
    claim: (args) => claimFile(files, args["file_path"], "exclusive"),
    execute: async (args) => {
      const { file_path, old_string, new_string, replace_all = false } = readArguments("Edit", fields, args);
      if (old_string === "")
        throw new YoiError("usage", "old_string is empty: to make a new file use Write.");
      if (old_string === new_string)
        throw new YoiError("usage", "old_string and new_string are the same: nothing would change.");
      if (!new_string.isWellFormed())
        throw new YoiError("usage", "new_string is not valid Unicode: it has half a surrogate pair.");
      const now = await files.read(file_path);
      const known = seen.of(now.path);
      if (known === null)
        throw new YoiError("usage", `${quotePath(now.path)} was not read: read it before you edit it.`);
      if (known.sha256 !== digestOf(now.bytes)) throw changedSince(now.path);
      const file = textOf(now.bytes, now.path);
      if (!file.exact)
        throw new YoiError(
          "usage",
          `${quotePath(now.path)} is not valid UTF-8: change it with a program that keeps its other bytes.`,
        );

      const found = findText(file, old_string, new_string);
      check(found.offsets, found.old.length, {
        file,
        known,
        path: now.path,
        wanted: old_string,
        replacement: new_string,
        all: replace_all,
      });
      if (found.old === found.replacement)
        throw new YoiError(
          "usage",
          `old_string and new_string differ only in line ends, and Edit keeps the CRLF line ends of ${quotePath(now.path)}: convert them with a program.`,
        );
      const changed = replaceAt(file.text, known, found);
      const data = Buffer.from(changed.text, "utf8");
      if (data.length > fileBytesMax)
        throw new YoiError(
          "limit_exceeded",
          `${quotePath(now.path)} would have ${data.length} bytes and Edit writes ${fileBytesMax}.`,
        );
      const sha256 = digestOf(data);
      const kept = copies === null ? null : await keepBefore(now.bytes, copies, "change");
      const written = await files.write(now.path, data, { kind: "same", identity: now.identity });
      const touched = kept === null ? [] : [{ path: written.path, ...kept, after: sha256 }];
      const record = seen.show(written.path, {
        sha256,
        ranges: changed.ranges,
        length: changed.text.length,
      });
      const count = found.offsets.length;
      return {
        summary: `Edited ${quotePath(written.path)} (${count} replacement${count === 1 ? "" : "s"}${found.crlf ? "; CRLF line ends kept" : ""})`,
        content: snippet(changed.text, found.offsets[0] ?? 0, found.replacement.length),
        record: {
          ...record,
          ...changeDiff(now.bytes, changed.text),
          ...(copies === null ? {} : await touchedRecord(touched, copies, "change")),
        },
      };
    },
  };
}

interface Wanted {
  readonly file: TextFile;
  readonly known: SeenFile;
  readonly path: string;
  readonly wanted: string;
  readonly replacement: string;
  readonly all: boolean;
}

function check(
  offsets: readonly number[],
  length: number,
  { file, known, path, wanted, replacement, all }: Wanted,
): void {
  if (offsets.length === 0) {
    throw new YoiError(
      "usage",
      `old_string is not in ${quotePath(path)}: ${hintFor(file, wanted, replacement)}`,
    );
  }
  const numbers = (some: readonly number[]): string => {
    const named = some.slice(0, namedLinesMax).map((offset) => lineAt(file.lineStarts, offset));
    return `line${some.length === 1 ? "" : "s"} ${named.join(", ")}${some.length > named.length ? ", ..." : ""}`;
  };
  if (offsets.length > 1 && !all) {
    throw new YoiError(
      "usage",
      `old_string occurs ${offsets.length} times in ${quotePath(path)} (${numbers(offsets)}): add text around it to make it unique, or set replace_all.`,
    );
  }
  const unseen = offsets.filter((offset) => !wasSeen(known, offset, offset + length));
  if (unseen.length > 0) {
    throw new YoiError(
      "usage",
      `old_string is in a part of ${quotePath(path)} that was not shown (${numbers(unseen)}): read that part first.`,
    );
  }
}

function replaceAt(
  text: string,
  known: SeenFile,
  {
    offsets,
    old,
    replacement,
  }: { readonly offsets: readonly number[]; readonly old: string; readonly replacement: string },
): { text: string; ranges: SeenFile["ranges"] } {
  let ranges = known.ranges;
  for (const offset of offsets.toReversed())
    ranges = shiftRanges(ranges, offset, offset + old.length, replacement.length);
  const pieces: string[] = [];
  let from = 0;
  for (const offset of offsets) {
    pieces.push(text.slice(from, offset), replacement);
    from = offset + old.length;
  }
  return { text: [...pieces, text.slice(from)].join(""), ranges };
}

/** The lines around the first replacement, as they are now. */
function snippet(text: string, offset: number, length: number): string {
  const lineStarts = lineStartsOf(text);
  const total = lineStarts.length - 1;
  if (total === 0) return "(the file is empty now)";
  const from = Math.max(1, lineAt(lineStarts, offset) - contextLines);
  const through = Math.min(
    total,
    lineAt(lineStarts, offset + Math.max(0, length - 1)) + contextLines,
    from + snippetLinesMax - 1,
  );
  return numberLines({ text, lineStarts }, from, through, snippetBytesMax).text;
}
