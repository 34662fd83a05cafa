/** How instruction files are read: by the scoped walk, so that a link in a repository cannot bring another file into a prompt. */
import { type Scope, YoiError } from "@yoi/base";
import type { Files } from "@yoi/host";
import { documentDirectories, type DocumentReader } from "@yoi/pod";
import { type Protection, scopeRule } from "@yoi/scope";
import { createScopedFiles } from "@yoi/tools";

/** Reads files that stand in the directories from the repository's root down to the workspace, and nowhere else. */
export async function documentReader(
  workspace: string,
  protection: Protection,
  files: Files,
): Promise<DocumentReader> {
  const exists = async (path: string): Promise<boolean> => (await files.stat(path)) !== null;
  const directories = await documentDirectories(workspace, exists);
  const allow = directories.map((directory) => scopeRule(directory, "read", { recursive: false }));
  const scope: Scope = { allow, deny: [] };
  const scoped = createScopedFiles({ scope: () => scope, protection });
  return {
    exists,
    readText: async (path) => {
      if (!(await exists(path))) return null;
      const { bytes } = await scoped.read(path);
      try {
        return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      } catch {
        throw new YoiError("io_failed", `${path} is not UTF-8 text.`);
      }
    },
  };
}
