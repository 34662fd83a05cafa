/** What a person approves, as the text that is kept with the decision: so that a later change can be shown against it. */
import { isUtf8 } from "node:buffer";
import { canonicalJson, isJsonObject, type JsonValue, utf8Length } from "@yoi/base";
import { subjectBytesMax } from "@yoi/keep";
import type { FeatureContent } from "./content.ts";

export interface SubjectFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Null: it is no text, or there was no room for it. */
  readonly text: string | null;
}

export interface Subject {
  /** By path; the first ones, where there was no room for all. */
  readonly files: readonly SubjectFile[];
  /** How many more files were approved. */
  readonly leftOut: number;
}

const subjectFormat = 1;
/** All but the files. */
const frameBytes = utf8Length(canonicalJson({ files: [], format: subjectFormat, left_out: 1_000_000 }));

/** Every file first, then texts, by path, as far as there is room. What is in it depends on the files alone. */
export function subjectOf({ files }: FeatureContent): Subject {
  let left = subjectBytesMax - frameBytes;
  const kept: { readonly file: SubjectFile; readonly content: Buffer }[] = [];
  for (const { path, sha256, content } of files) {
    const file: SubjectFile = { path, bytes: content.byteLength, sha256, text: null };
    left -= sizeOf(file) + 1;
    if (left < 0) break;
    kept.push({ file, content });
  }
  const leftOut = files.length - kept.length;
  if (leftOut > 0) return { files: kept.map(({ file }) => file), leftOut };
  const withTexts = kept.map(({ file, content }) => {
    if (file.bytes > left || !isText(content)) return file;
    const full: SubjectFile = { ...file, text: content.toString("utf8") };
    const more = sizeOf(full) - sizeOf(file);
    if (more > left) return file;
    left -= more;
    return full;
  });
  return { files: withTexts, leftOut };
}

/** At most `subjectBytesMax`. */
export function encodeSubject({ files, leftOut }: Subject): string {
  return canonicalJson({ format: subjectFormat, files, left_out: leftOut });
}

/** Null: another version of yoi wrote it, so that nothing can be compared. */
export function decodeSubject(text: string): Subject | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isJsonObject(value) || value["format"] !== subjectFormat || !Array.isArray(value["files"]))
    return null;
  const { left_out: leftOut } = value;
  if (typeof leftOut !== "number") return null;
  const all = (value["files"] as readonly JsonValue[]).map(fileOf);
  const files = all.filter((file) => file !== null);
  return files.length === all.length ? { files, leftOut } : null;
}

function fileOf(value: JsonValue): SubjectFile | null {
  if (!isJsonObject(value)) return null;
  const { path, bytes, sha256, text } = value;
  if (typeof path !== "string" || typeof bytes !== "number" || typeof sha256 !== "string") return null;
  return typeof text === "string" || text === null ? { path, bytes, sha256, text } : null;
}

function sizeOf(file: SubjectFile): number {
  return utf8Length(canonicalJson(file));
}

function isText(content: Buffer): boolean {
  return isUtf8(content) && !content.includes(0);
}
