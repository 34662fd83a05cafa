/** Attaching: what an input refers to, read once under the scope, becomes system items with the text that the model sees. */
import { resolve } from "node:path/posix";
import {
  cutUtf8,
  escapeControls,
  fileRefText,
  type FileRefPart,
  type SkillRefPart,
  type SystemItem,
  utf8Length,
  YoiError,
} from "@yoi/base";
import { quotePath } from "@yoi/scope";
import { imageOf } from "./image-file.ts";
import type { ListedDirectory, ListedEntry, ScopedFiles } from "./scoped-files.ts";
import { digestOf, shownRecord } from "./seen.ts";
import { binaryKindOf, textOf } from "./text-file.ts";

/** Most references of one input that are looked at. */
export const attachmentsMax = 32;
/** Most bytes of text and base64 that one input attaches: what every provider takes in one request, with room for the rest. */
export const attachedBytesMax = 12 * 1024 * 1024;
/** Most entries of a directory that are shown. */
export const attachedEntriesMax = 100;
/** Characters of a reference in a warning. */
const shownReferenceMax = 200;

export interface AttachOptions {
  readonly files: ScopedFiles;
  /** Canonical; what relative references are relative to. */
  readonly workspace: string;
  /** Most bytes of a file's text or of a listing. */
  readonly textBytesMax: number;
  readonly seesImages: () => boolean;
}

export interface Attachments {
  /** In the order of the references; what two of them name is there once. */
  readonly items: readonly SystemItem[];
  /** A sentence for each reference that could not be attached. */
  readonly warnings: readonly string[];
}

/** What an input names. */
export type Reference = FileRefPart | SkillRefPart;
/** As items to commit right behind the input, skills first. What cannot be attached is a warning. */
export type Attach = (references: readonly Reference[]) => Promise<Attachments>;

/** What is read here is what the model sees: nothing reads a file again for it. The failure of one reference is a warning; nothing is thrown for it. */
export async function attachFiles(
  references: readonly FileRefPart[],
  options: AttachOptions,
): Promise<Attachments> {
  const items: SystemItem[] = [];
  const warnings: string[] = [];
  const named = new Map<string, string>();
  for (const { path } of references) {
    const target = options.files.locate(resolve(options.workspace, path));
    if (!named.has(target)) named.set(target, path);
  }
  const typed = [...named.values()];
  let room = attachedBytesMax;
  for (const path of typed.slice(0, attachmentsMax)) {
    try {
      const item = await attach(path, options);
      const bytes = bytesOf(item);
      if (bytes > room) {
        throw new YoiError(
          "limit_exceeded",
          `The files of one input are more than ${attachedBytesMax} bytes.`,
        );
      }
      room -= bytes;
      items.push(item);
    } catch (thrown) {
      if (!(thrown instanceof YoiError)) throw thrown;
      warnings.push(`${shownReference(path)} was not attached: ${thrown.message}`);
    }
  }
  const left = typed.length - attachmentsMax;
  if (left > 0) {
    warnings.push(
      `${left} more reference${left === 1 ? " was" : "s were"} not attached: one input attaches ${attachmentsMax}.`,
    );
  }
  return { items, warnings };
}

function shownReference(path: string): string {
  const text = fileRefText(path);
  return text.length > shownReferenceMax ? `${text.slice(0, shownReferenceMax)}...` : text;
}

function bytesOf({ body, images = [] }: SystemItem): number {
  return images.reduce((sum, { data }) => sum + data.length, utf8Length(body));
}

async function attach(typed: string, options: AttachOptions): Promise<SystemItem> {
  const { files, workspace } = options;
  const asked = resolve(workspace, typed);
  const found = files.stat(asked);
  if (found?.isDirectory === true) {
    if (found.path !== asked) {
      throw new YoiError(
        "usage",
        `It leads through a link to the directory ${quotePath(found.path)}: name that one.`,
      );
    }
    return attachment(`[Dir: ${typed}]\n${listingOf(await files.list(asked), options.textBytesMax)}`);
  }
  return attachFile(typed, asked, options);
}

async function attachFile(
  typed: string,
  asked: string,
  { files, textBytesMax, seesImages }: AttachOptions,
): Promise<SystemItem> {
  const { path, bytes } = await files.read(asked);
  const head = `[File: ${typed}]\n`;
  const binary = binaryKindOf(bytes);
  if (binary !== null) {
    const picture = await imageOf(bytes, path);
    if (picture === null) {
      throw new YoiError(
        "usage",
        `${quotePath(path)} is ${binary} of ${bytes.length} bytes, neither text nor an image that can be shown.`,
      );
    }
    const said = `${head}(an image: ${picture.description}`;
    return seesImages()
      ? { ...attachment(`${said})`), images: [picture.image] }
      : attachment(`${said}; it is not shown, because the model does not see images)`);
  }
  const { text, exact } = textOf(bytes, path);
  if (!exact) throw new YoiError("usage", `${quotePath(path)} is not UTF-8 text.`);
  const kept = cutUtf8(text, textBytesMax);
  const record = shownRecord(path, {
    sha256: digestOf(bytes),
    ranges: [[0, kept.length]],
    length: text.length,
  });
  const attachText = (body: string): SystemItem => ({ ...attachment(body), record: { ...record } });
  if (text === "") return attachText(`${head}(the file is empty)`);
  if (kept.length === text.length) return attachText(`${head}${text}`);
  const line = kept.split("\n").length;
  return attachText(
    `${head}${kept}\n[cut: ${utf8Length(kept)} of ${bytes.length} bytes are shown; go on with Read, file_path ${quotePath(path)}, offset ${line}]`,
  );
}

function attachment(body: string): SystemItem {
  return { type: "system_item", kind: "file_attachment", source: "host", body };
}

const ranks: Readonly<Record<ListedEntry["kind"], number>> = { directory: 0, link: 1, file: 2, other: 2 };
const marks: Readonly<Record<ListedEntry["kind"], string>> = {
  directory: "/",
  link: "@",
  file: "",
  other: " (not a regular file)",
};

/** Directories first, then links, then files; the order by name within each is the directory's. */
function listingOf({ entries, isCut, unnameable }: ListedDirectory, bytesMax: number): string {
  const sorted = entries.toSorted((a, b) => ranks[a.kind] - ranks[b.kind]);
  const lines: string[] = [];
  let bytes = 0;
  for (const { name, kind } of sorted.slice(0, attachedEntriesMax)) {
    const line = `${escapeControls(name)}${marks[kind]}`;
    bytes += utf8Length(line) + 1;
    if (bytes > bytesMax) break;
    lines.push(line);
  }
  const total = `${isCut ? "more than " : ""}${entries.length}`;
  const remarks = [
    ...(lines.length < entries.length
      ? [`[cut: ${lines.length} of ${total} entries are shown; go on with Glob]`]
      : []),
    ...(unnameable > 0 ? [`[${unnameable} more with names that are not UTF-8]`] : []),
  ];
  if (lines.length + remarks.length === 0) return "(the directory is empty)";
  return [...lines, ...remarks].join("\n");
}
