/** How instruction files are read: by the scoped walk, so that a link in a repository cannot bring another file into a prompt. */
import { lstatSync, type Stats, statSync } from "node:fs";
import { messageOf, type Scope, YoiError } from "@yoi/base";
import { documentDirectories, type DocumentReader } from "@yoi/pod";
import { type Protection, scopeRule } from "@yoi/scope";
import { createScopedFiles } from "@yoi/tools";

/** Reads files that stand in the directories from the repository's root down to the workspace, and nowhere else. */
export async function documentReader(
  workspace: string,
  protection: Protection,
  userId: number | undefined = process.getuid?.(),
): Promise<DocumentReader> {
  const owner: DocumentReader["owner"] = async (path) => {
    const info = unlessMissing(path, lstatSync);
    if (info === null) return null;
    return info.uid === 0 || info.uid === userId ? "ours" : "foreign";
  };
  const directories = await documentDirectories(workspace, owner);
  const allow = directories.map((directory) => scopeRule(directory, "read", { recursive: false }));
  const scope: Scope = { allow, deny: [] };
  const scoped = createScopedFiles({ scope: () => scope, protection });
  return {
    owner,
    readText: async (path) => {
      if (unlessMissing(path, statSync) === null) return null;
      const { bytes } = await scoped.read(path);
      try {
        return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      } catch {
        throw new YoiError("io_failed", `${path} is not UTF-8 text.`);
      }
    },
  };
}

type Look = (path: string, options: { readonly throwIfNoEntry: false }) => Stats | undefined;

/** At once: most looks are for what is not there, and each is a fraction of the time that a round trip to another thread takes. */
function unlessMissing(path: string, look: Look): Stats | null {
  try {
    return look(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : messageOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new YoiError("io_failed", `${path} cannot be looked at (${String(code)}).`, { cause: error });
  }
}
