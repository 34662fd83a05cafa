/** Instruction files (AGENTS.md) that go into the system prompt: which ones, in which order, how much of them. */
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { cutUtf8, type PromptDocument, utf8Length } from "@yoi/base";

/** All instruction files together, in bytes of UTF-8. */
export const documentsBytesMax = 64 * 1024;

/** In order of preference within one directory: the first that exists is taken. */
export const documentNames = ["AGENTS.md", "CLAUDE.md"] as const;

export interface LoadedDocument extends PromptDocument {
  readonly text: string;
}

/** What loading may touch: handed in, so that a link planted in a repository cannot point it anywhere else. */
export interface DocumentReader {
  /** The text of a regular file, or null when there is none. Refused paths throw. */
  readText(path: string): Promise<string | null>;
  exists(path: string): Promise<boolean>;
}

export interface LoadedDocuments {
  readonly documents: readonly LoadedDocument[];
  /** One sentence each, for the user: what was left out or could not be read. */
  readonly warnings: readonly string[];
}

/** The directories from the repository's root (the nearest one upward with a `.git`), else only `workspace`, down to `workspace`. */
export async function documentDirectories(
  workspace: string,
  exists: DocumentReader["exists"],
): Promise<readonly string[]> {
  const upward: string[] = [];
  for (let directory = workspace; ; directory = dirname(directory)) {
    upward.push(directory);
    if (await exists(join(directory, ".git"))) return upward.reverse();
    if (dirname(directory) === directory) return [workspace];
  }
}

/** Loads the instruction files. The nearest to the workspace comes last; past the bound, text is cut at a character and said so. */
export async function loadDocuments(workspace: string, reader: DocumentReader): Promise<LoadedDocuments> {
  const documents: LoadedDocument[] = [];
  const warnings: string[] = [];
  let left = documentsBytesMax;
  for (const directory of await documentDirectories(workspace, reader.exists)) {
    for (const name of documentNames) {
      const path = join(directory, name);
      let whole: string | null;
      try {
        whole = await reader.readText(path);
      } catch (error) {
        warnings.push(`${path} was not read: ${error instanceof Error ? error.message : String(error)}`);
        continue;
      }
      if (whole === null) continue;
      const text = cutUtf8(whole, left);
      const truncated = text.length < whole.length;
      if (truncated) {
        warnings.push(
          `${path} was cut after ${utf8Length(text)} of ${utf8Length(whole)} bytes: instruction files may have ${documentsBytesMax} bytes in all.`,
        );
      }
      left -= utf8Length(text);
      const sha256 = createHash("sha256").update(whole).digest("hex");
      documents.push({ path, sha256, bytes: utf8Length(whole), truncated, text });
      break;
    }
  }
  return { documents, warnings };
}
