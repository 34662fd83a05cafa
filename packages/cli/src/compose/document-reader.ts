/** How instruction files are read: by the scoped walk, so that a link in a repository cannot bring another file into a prompt. */
import { lstat } from "node:fs/promises";
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
    try {
      const { uid } = await lstat(path);
      return uid === 0 || uid === userId ? "ours" : "foreign";
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : null;
      if (code === "ENOENT" || code === "ENOTDIR") return null;
      throw new YoiError("io_failed", `${path} cannot be looked at (${code ?? messageOf(error)}).`, {
        cause: error,
      });
    }
  };
  const directories = await documentDirectories(workspace, owner);
  const allow = directories.map((directory) => scopeRule(directory, "read", { recursive: false }));
  const scope: Scope = { allow, deny: [] };
  const scoped = createScopedFiles({ scope: () => scope, protection });
  return {
    owner,
    readText: async (path) => {
      if ((await owner(path)) === null) return null;
      const { bytes } = await scoped.read(path);
      try {
        return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      } catch {
        throw new YoiError("io_failed", `${path} is not UTF-8 text.`);
      }
    },
  };
}
