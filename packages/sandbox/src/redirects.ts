/** Redirects: what makes git look for hooks and configuration elsewhere. A missing one cannot be held by a mount, so one that a command made is removed. */
import type { Scope } from "@yoi/base";
import { childOf, gitRedirects, type Protection, quotePath } from "@yoi/scope";
import { linkedGitDirectories } from "./project-places.ts";
import { machineSurroundings as around } from "./surroundings.ts";

/** Most characters of a removed file that are told. */
const toldMax = 200;

/** Looks at what is missing now. The function it gives removes what has come to be there since, and says so, a sentence each. */
export function watchRedirects(
  scope: Scope,
  protection: Protection,
  removeTree: (path: string) => Promise<void>,
): () => Promise<readonly string[]> {
  const writable = scope.allow.filter(({ permission }) => permission === "write");
  const roots = new Set([protection.workspace, ...writable.map(({ target }) => target)]);
  const directories = new Set([...roots].flatMap((root) => gitDirectories(childOf(root, ".git"))));
  const missing = [...directories].flatMap((git) =>
    gitRedirects
      .filter((name) => around.kindOf(childOf(git, name)) === "missing")
      .map((name) => ({ git, name })),
  );
  return async () => {
    const notes: string[] = [];
    for (const { git, name } of missing) {
      const path = childOf(git, name);
      // Through a link it would be another directory's.
      if (around.realPath(git) !== git || around.kindOf(path) === "missing") continue;
      const held = around.readText(path) ?? around.readLink(path);
      await removeTree(path);
      const told = held === null ? "" : ` It held ${JSON.stringify(held.trim().slice(0, toldMax))}.`;
      notes.push(
        `The command made ${quotePath(path)}, which would make git take hooks and configuration from elsewhere: it was removed.${told}`,
      );
    }
    return notes;
  };
}

function gitDirectories(git: string): readonly string[] {
  switch (around.kindOf(git)) {
    case "missing":
    case "directory":
      return [git];
    case "file":
      return linkedGitDirectories(git, around);
    case "link":
    case "other":
      return [];
  }
}
