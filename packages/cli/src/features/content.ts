/** What a third party's feature consists of: its files, read by descriptor and never run, and the digest that an approval is for. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { canonicalJson, escapeControls, YoiError } from "@yoi/base";
import type { Scope } from "@yoi/base";
import { scopeRule } from "@yoi/scope";
import { createScopedFiles, type ScopedFiles } from "@yoi/tools";

export interface FeatureFile {
  /** Below the feature's folder, with `/`. */
  readonly path: string;
  readonly sha256: string;
  readonly content: Buffer;
}

export interface FeatureContent {
  /** By path. */
  readonly files: readonly FeatureFile[];
  readonly bytes: number;
  /** SHA-256 in lower-case hex. */
  readonly digest: string;
}

/** Of what the digest is taken over. */
const digestFormat = 1;
/** Files and folders of one feature. */
export const featureEntriesMax = 2_000;
/** Of all files of one feature together. */
export const featureBytesMax = 16 * 1024 * 1024;
/** Folders in folders of one feature. */
export const featureDepthMax = 16;

/** Reads below `root`, a real path, and nowhere else: whatever a link in it says. */
export function filesBelow(root: string): ScopedFiles {
  const scope: Scope = { allow: [scopeRule(root, "read")], deny: [] };
  return createScopedFiles({
    scope: () => scope,
    protection: { hidden: [], readOnly: [], spill: null, workspace: root, home: null, programs: [] },
  });
}

/** A feature that is one file. Throws feature_invalid with the reason why it cannot be shown. */
export async function readFile(files: ScopedFiles, folder: string, name: string): Promise<FeatureContent> {
  const content = await readOne(files, { folder, name, left: featureBytesMax });
  return contentOf([fileOf(name, content)]);
}

/** A feature that is a folder: all of it except the `node_modules` in it. Throws feature_invalid with the reason why it cannot be shown. */
export async function readFolder(files: ScopedFiles, folder: string): Promise<FeatureContent> {
  const names: string[] = [];
  const looked: Looked = { files, folder, names, entries: 0 };
  await collect(looked, "", 0);
  let left = featureBytesMax;
  const read: FeatureFile[] = [];
  for (const name of names) {
    const content = await readOne(files, { folder, name, left });
    left -= content.byteLength;
    read.push(fileOf(name, content));
  }
  return contentOf(read);
}

/** By UTF-16 code unit, as the canonical JSON sorts keys. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

export function invalid(reason: string, cause?: unknown): YoiError {
  return new YoiError("feature_invalid", reason, cause === undefined ? {} : { cause });
}

/** A name as a person can read it. */
export function shown(name: string): string {
  return escapeControls(JSON.stringify(name));
}

interface Looked {
  readonly files: ScopedFiles;
  readonly folder: string;
  readonly names: string[];
  entries: number;
}

async function collect(looked: Looked, below: string, depth: number): Promise<void> {
  const path = join(looked.folder, below);
  const listed = await looked.files.list(path).catch((thrown: unknown) => {
    throw unreadable(below === "" ? looked.folder : below, thrown);
  });
  if (listed.path !== path) throw invalid(`${shown(below)} became a link while it was read`);
  if (listed.unnameable > 0)
    throw invalid(`${shown(below === "" ? looked.folder : below)} holds names that are not UTF-8`);
  for (const { name, kind } of listed.entries) {
    if (kind === "directory" && name === "node_modules") continue;
    looked.entries += 1;
    if (looked.entries > featureEntriesMax)
      throw invalid(`it has more than ${featureEntriesMax} files and folders`);
    const at = below === "" ? name : `${below}/${name}`;
    if (kind === "link") throw invalid(`${shown(at)} is a link`);
    if (kind === "other") throw invalid(`${shown(at)} is not a regular file`);
    if (kind === "file") looked.names.push(at);
    else {
      if (depth === featureDepthMax) throw invalid(`it has more than ${featureDepthMax} folders in folders`);
      await collect(looked, at, depth + 1);
    }
  }
}

async function readOne(
  files: ScopedFiles,
  { folder, name, left }: { readonly folder: string; readonly name: string; readonly left: number },
): Promise<Buffer> {
  const path = join(folder, name);
  try {
    const read = await files.read(path);
    if (read.path !== path) throw invalid(`${shown(name)} became a link while it was read`);
    if (read.bytes.byteLength > left) throw tooLarge();
    return read.bytes;
  } catch (thrown) {
    throw unreadable(name, thrown);
  }
}

/** What a descriptor-safe read refuses, said of a feature. Bugs stay what they are. */
function unreadable(name: string, thrown: unknown): unknown {
  if (!(thrown instanceof YoiError)) return thrown;
  switch (thrown.code) {
    case "feature_invalid":
      return thrown;
    case "limit_exceeded":
      return tooLarge(thrown);
    case "out_of_scope":
    case "usage":
      return invalid(`${shown(name)} is not a regular file, or leads elsewhere`, thrown);
    default:
      return invalid(`${shown(name)} cannot be read (${thrown.message})`, thrown);
  }
}

function tooLarge(cause?: unknown): YoiError {
  return invalid(`it has more than ${featureBytesMax} bytes`, cause);
}

function fileOf(path: string, content: Buffer): FeatureFile {
  return { path, sha256: createHash("sha256").update(content).digest("hex"), content };
}

function contentOf(unsorted: readonly FeatureFile[]): FeatureContent {
  const files = unsorted.toSorted((a, b) => byText(a.path, b.path));
  const listed = files.map(({ path, sha256, content }) => ({ path, bytes: content.byteLength, sha256 }));
  const bytes = listed.reduce((sum, file) => sum + file.bytes, 0);
  const text = canonicalJson({ format: digestFormat, files: listed });
  return { files, bytes, digest: createHash("sha256").update(text).digest("hex") };
}
