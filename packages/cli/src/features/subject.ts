/** What a person approves, as the text that is kept with the decision: so that a later change can be shown against it. */
import { isUtf8 } from "node:buffer";
import { canonicalJson, isJsonObject, type JsonValue, utf8Length } from "@yoi/base";
import type { FeatureContent } from "./content.ts";

export interface SubjectFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Null: it is no text, or there was no room for it. */
  readonly text: string | null;
}

const subjectFormat = 1;
/** Of the texts of one feature together, as JSON; the first ones by path that fit are kept. */
export const subjectTextBytesMax = 192 * 1024;

/** By path. Which texts are in it depends on the files alone. */
export function subjectFiles({ files }: FeatureContent): readonly SubjectFile[] {
  let left = subjectTextBytesMax;
  return files.map(({ path, sha256, content }) => {
    const bytes = content.byteLength;
    const text = bytes <= left && isText(content) ? content.toString("utf8") : null;
    const size = text === null ? 0 : utf8Length(JSON.stringify(text));
    if (size > left) return { path, bytes, sha256, text: null };
    left -= size;
    return { path, bytes, sha256, text };
  });
}

export function encodeSubject(files: readonly SubjectFile[]): string {
  return canonicalJson({ format: subjectFormat, files });
}

/** Null: another version of yoi wrote it, so that nothing can be compared. */
export function decodeSubject(text: string): readonly SubjectFile[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isJsonObject(value) || value["format"] !== subjectFormat || !Array.isArray(value["files"]))
    return null;
  const files = (value["files"] as readonly JsonValue[]).map(fileOf);
  return files.includes(null) ? null : files.filter((file) => file !== null);
}

function fileOf(value: JsonValue): SubjectFile | null {
  if (!isJsonObject(value)) return null;
  const { path, bytes, sha256, text } = value;
  if (typeof path !== "string" || typeof bytes !== "number" || typeof sha256 !== "string") return null;
  return typeof text === "string" || text === null ? { path, bytes, sha256, text } : null;
}

function isText(content: Buffer): boolean {
  return isUtf8(content) && !content.includes(0);
}
