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
  /** Whose the file or directory itself is (a link: the link): `ours` is of the user who runs yoi or of root. Null: there is none. */
  owner(path: string): Promise<"ours" | "foreign" | null>;
}

export interface LoadedDocuments {
  readonly documents: readonly LoadedDocument[];
  /** One sentence each, for the user: what was left out or could not be read. */
  readonly warnings: readonly string[];
}

/**
 * The directories from the repository's root (the nearest one upward with a `.git`), else only `workspace`, down to `workspace`. What another user owns
 * makes no repository, and no directory of another user is in it: who may write above the workspace must not instruct the model.
 */
export async function documentDirectories(
  workspace: string,
  owner: DocumentReader["owner"],
): Promise<readonly string[]> {
  const upward: string[] = [];
  for (let directory = workspace; (await owner(directory)) === "ours"; directory = dirname(directory)) {
    upward.push(directory);
    if ((await owner(join(directory, ".git"))) === "ours") return upward.reverse();
    if (dirname(directory) === directory) break;
  }
  return upward.slice(0, 1);
}

/** Loads the instruction files. The nearest to the workspace comes last; past the bound, text is cut at a character and said so. */
export async function loadDocuments(workspace: string, reader: DocumentReader): Promise<LoadedDocuments> {
  const documents: LoadedDocument[] = [];
  const warnings: string[] = [];
  let left = documentsBytesMax;
  const directories = await documentDirectories(workspace, reader.owner);
  if (directories.length === 0)
    warnings.push(`${workspace} belongs to another user: its instruction files are not read.`);
  for (const directory of directories) {
    for (const name of documentNames) {
      const path = join(directory, name);
      if ((await reader.owner(path)) === "foreign") {
        warnings.push(`${path} was not read: it belongs to another user.`);
        continue;
      }
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
