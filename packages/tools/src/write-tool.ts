/** Write: a whole file, new or replaced. */
import { type Tool, YoiError } from "@yoi/base";
import { quotePath } from "@yoi/scope";
import { readArguments, schemaOf } from "./arguments.ts";
import { changeDiff } from "./change-diff.ts";
import { claimFile } from "./claim-file.ts";
import { type FileCopies, keepBefore, touchedRecord } from "./copies/touched.ts";
import { type Expected, fileBytesMax, type ScopedFiles } from "./scoped-files.ts";
import { digestOf, type Seen, wasSeen } from "./seen.ts";

const fields = {
  file_path: { type: "string", description: "Absolute path of the file." },
  content: { type: "string", description: "The whole new content." },
} as const;

/** @param copies where what a file holds is kept before it is changed; null: nowhere. */
export function writeTool(files: ScopedFiles, seen: Seen, copies: FileCopies | null = null): Tool {
  return {
    definition: {
      name: "Write",
      description:
        "Creates a file, with the directories above it, or replaces a file whole. " +
        "A file that exists must have been read whole with Read and be unchanged since; to change a part of it use Edit. The file's mode is kept.",
      input_schema: schemaOf(fields),
    },
    readOnly: false,
    claim: (args) => claimFile(files, args["file_path"], "exclusive"),
    execute: async (args) => {
      const { file_path, content } = readArguments("Write", fields, args);
      if (!content.isWellFormed())
        throw new YoiError(
          "usage",
          'The argument "content" of Write is not valid Unicode: it has half a surrogate pair.',
        );
      const data = Buffer.from(content, "utf8");
      if (data.length > fileBytesMax) {
        throw new YoiError(
          "limit_exceeded",
          `The content has ${data.length} bytes and Write takes ${fileBytesMax}: make the file with the Bash tool.`,
        );
      }
      const { expected, bytes } = await expectedAt(files, seen, file_path);
      const sha256 = digestOf(data);
      const kept = copies === null ? null : await keepBefore(bytes, copies, "change");
      const written = await files.write(file_path, data, expected);
      const record = seen.show(written.path, {
        sha256,
        ranges: [[0, content.length]],
        length: content.length,
      });
      const touched =
        kept === null ? [] : [{ path: written.path, ...kept, after: sha256, mode_after: written.mode }];
      return {
        summary: `${written.created ? "Created" : "Overwrote"} ${quotePath(written.path)} (${data.length} bytes)`,
        record: {
          ...record,
          ...changeDiff(bytes, content),
          ...(copies === null ? {} : await touchedRecord(touched, copies, "change")),
        },
      };
    },
  };
}

interface Replaced {
  readonly expected: Expected;
  /** Null: nothing is there. */
  readonly bytes: Uint8Array | null;
}

/** What is replaced: nothing, or the bytes that were read whole. */
async function expectedAt(files: ScopedFiles, seen: Seen, path: string): Promise<Replaced> {
  if (files.stat(path) === null) return { expected: { kind: "missing" }, bytes: null };
  const now = await files.read(path);
  const known = seen.of(now.path);
  if (known === null)
    throw new YoiError(
      "usage",
      `${quotePath(now.path)} exists and was not read: read it before you replace it.`,
    );
  if (known.sha256 !== digestOf(now.bytes)) throw changedSince(now.path);
  if (!wasSeen(known, 0, known.length)) {
    throw new YoiError(
      "usage",
      `${quotePath(now.path)} was read only in part: read the rest before you replace all of it, or use Edit.`,
    );
  }
  return { expected: { kind: "same", identity: now.identity }, bytes: now.bytes };
}

export function changedSince(path: string): YoiError {
  return new YoiError("usage", `${quotePath(path)} was changed since it was read: read it again.`);
}
