/** What a person approves, as the text that is kept with the decision: so that a later change can be shown against it. */
import { isUtf8 } from "node:buffer";
import { canonicalJson, isJsonObject, type JsonValue, utf8Length } from "@yoi/base";
import { subjectBytesMax } from "@yoi/keep";
import type { FeatureContent } from "./content.ts";

export interface SubjectFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** A byte that is not UTF-8 stands as the lone surrogate U+DC00 + byte, which no UTF-8 gives. Null: there was no room for it. */
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
    if (file.bytes > left) return file;
    const full: SubjectFile = { ...file, text: textOf(content) };
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

/** One character of UTF-8, where every character stands for a byte; else a byte that is none. */
const character =
  /[\u0000-\u007f]+|[\u00c2-\u00df][\u0080-\u00bf]|\u00e0[\u00a0-\u00bf][\u0080-\u00bf]|[\u00e1-\u00ec\u00ee\u00ef][\u0080-\u00bf]{2}|\u00ed[\u0080-\u009f][\u0080-\u00bf]|\u00f0[\u0090-\u00bf][\u0080-\u00bf]{2}|[\u00f1-\u00f3][\u0080-\u00bf]{3}|\u00f4[\u0080-\u008f][\u0080-\u00bf]{2}|[\u0080-\u00ff]/g;
const badByteBase = 0xdc00;

/** One bad byte is no reason to hide the rest from whoever decides. */
function textOf(content: Buffer): string {
  if (isUtf8(content)) return content.toString("utf8");
  return content.toString("latin1").replace(character, (bytes) => {
    const byte = bytes.charCodeAt(0);
    if (byte < 0x80) return bytes;
    return bytes.length === 1
      ? String.fromCharCode(badByteBase + byte)
      : Buffer.from(bytes, "latin1").toString("utf8");
  });
}

/** Bytes that are not UTF-8 as `\xff`. */
export function withBytesShown(text: string): string {
  return text.replace(/[\udc80-\udcff]/gu, (c) => `\\x${(c.charCodeAt(0) - badByteBase).toString(16)}`);
}
