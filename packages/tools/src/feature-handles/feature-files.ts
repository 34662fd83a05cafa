/** The files of a feature: reading, replacing and listing within what it was granted and the Pod's scope, whichever is narrower. */
import { isUtf8 } from "node:buffer";
import { type Scope, utf8Length, YoiError } from "@yoi/base";
import { type Protection, normalPath, permissionAt, pathProblem, quotePath, scopeRule } from "@yoi/scope";
import { createScopedFiles, type ScopedFiles } from "../scoped-files.ts";

/** Of one file, read or written. */
export const featureFileBytesMax = 1024 * 1024;
/** Of one directory. */
export const featureNamesMax = 1000;

export interface FileGrant {
  readonly access: "read" | "write";
  /** Absolute, or relative to the workspace. Links in it are not followed: what it leads to through one is not granted. */
  readonly path: string;
}

export interface FeatureFilesOptions {
  /** The Pod's, as for its tools: asked at the moment of use. */
  readonly scope: () => Scope;
  /** A write begins; what it gives ends it. */
  readonly enter: (what: string) => () => void;
  readonly protection: Protection;
  /** Canonical. */
  readonly workspace: string;
  readonly grants: readonly FileGrant[];
}

/** Paths as in a grant. Every failure is a YoiError: out_of_scope, limit_exceeded, usage, or what the operating system says. */
export interface GrantedFiles {
  /** UTF-8, and nothing else. */
  read(path: string): Promise<string>;
  /** The whole of it, durably; directories on the way are made. */
  write(path: string, text: string): Promise<void>;
  /** Names, by their bytes; a directory with `/` at the end. */
  list(path: string): Promise<readonly string[]>;
}

/** Throws `out_of_scope` for a grant that is no path. */
export function featureFiles(options: FeatureFilesOptions): GrantedFiles {
  const { scope, enter, protection, workspace, grants } = options;
  const within: Scope = {
    allow: grants.map(({ access, path }) => scopeRule(absolutePath(path, workspace), access)),
    deny: [],
  };
  const files = createScopedFiles({ scope, protection, within });
  const granted = (path: string, wanted: "read" | "write"): string => {
    const absolute = absolutePath(path, workspace);
    const held = permissionAt(within, absolute);
    // By its text first: what is not granted is told from what the Pod may not touch either, and neither says whether it is there.
    if (held === "none" || (held === "read" && wanted === "write")) throw notGranted(path, wanted);
    return absolute;
  };
  return {
    read: async (path) => textOf(files, granted(path, "read")),
    write: async (path, text) => {
      const absolute = granted(path, "write");
      checkText(text, absolute);
      const leave = enter(`a feature's write of ${quotePath(absolute)}`);
      try {
        await files.write(absolute, Buffer.from(text), { kind: "anything" });
      } finally {
        leave();
      }
    },
    list: async (path) => namesIn(files, granted(path, "read")),
  };
}

async function textOf(files: ScopedFiles, path: string): Promise<string> {
  const found = files.stat(path);
  if (found !== null && !found.isDirectory && found.bytes > featureFileBytesMax) throw tooLarge(path);
  const { bytes } = await files.read(path);
  if (bytes.length > featureFileBytesMax) throw tooLarge(path);
  if (!isUtf8(bytes))
    throw new YoiError("usage", `${quotePath(path)} is not UTF-8 text, and a feature reads nothing else.`, {
      place: { path },
    });
  return bytes.toString("utf8");
}

async function namesIn(files: ScopedFiles, path: string): Promise<readonly string[]> {
  const { entries, isCut } = await files.list(path);
  if (isCut || entries.length > featureNamesMax)
    throw new YoiError(
      "limit_exceeded",
      `${quotePath(path)} holds more than ${featureNamesMax} names, and no more are listed: name a directory below it.`,
      { place: { path } },
    );
  return entries.map(({ name, kind }) => (kind === "directory" ? `${name}/` : name));
}

/** A feature is code: what it hands over need not be what its types say. */
function absolutePath(path: string, workspace: string): string {
  if (typeof path !== "string") throw new YoiError("usage", "The path is not a text.");
  // Before it is made absolute, which would take ".." away.
  const asked = path.startsWith("/") ? path : `${workspace}/${path}`;
  const problem = path === "" ? "is empty" : pathProblem(asked);
  if (problem !== null) throw new YoiError("out_of_scope", `The path ${quotePath(path)} ${problem}.`);
  return normalPath(asked);
}

function checkText(text: string, path: string): void {
  if (typeof text !== "string" || !text.isWellFormed())
    throw new YoiError("usage", `What is to be written to ${quotePath(path)} is not text.`);
  if (utf8Length(text) > featureFileBytesMax) throw tooLarge(path);
}

function notGranted(path: string, wanted: "read" | "write"): YoiError {
  const what = wanted === "write" ? "to write" : "to read";
  return new YoiError(
    "out_of_scope",
    `This feature was not granted ${what} ${quotePath(path)}: it may touch what its filesystem authorities name.`,
  );
}

function tooLarge(path: string): YoiError {
  return new YoiError(
    "limit_exceeded",
    `${quotePath(path)} is over ${featureFileBytesMax} bytes, and a feature reads and writes no larger file.`,
    { place: { path } },
  );
}
