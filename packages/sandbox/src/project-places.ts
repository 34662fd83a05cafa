/** The `.git` and `.yoi` of a writable root: usable, except for what makes git or yoi run something later. */
import { YoiError } from "@yoi/base";
import {
  childOf,
  gitProtected,
  gitRedirects,
  gitWholes,
  joinComponents,
  parentOf,
  pathComponents,
  projectProtected,
  quotePath,
} from "@yoi/scope";
import { accessAt, type Mounts } from "./mount.ts";
import { put, restrict } from "./restrict.ts";
import type { Surroundings } from "./surroundings.ts";

/** Most entries of a directory that is put together entry by entry: each is a mount. */
export const fixedEntriesMax = 256;

/**
 * Throws where it cannot be protected in the workspace, which its user mends. In another root whoever has no other shell than this one may have made it
 * so: there what it leads to is protected, and the rest is looked at when the command ends.
 */
export function protectGit(mounts: Mounts, root: string, isWorkspace: boolean, around: Surroundings): void {
  const git = childOf(root, ".git");
  if (accessAt(mounts, git) !== "write") return;
  switch (around.kindOf(git)) {
    case "missing":
      return;
    case "directory":
      protectGitDirectory(mounts, git, around);
      return;
    case "file":
      put(mounts, git, { kind: "bind", access: "read" }, around);
      for (const directory of linkedGitDirectories(git, around))
        protectGitDirectory(mounts, directory, around);
      return;
    case "link":
    case "other":
      if (!isWorkspace) {
        const real = around.realPath(git);
        if (real !== null) protectGitDirectory(mounts, real, around);
        return;
      }
      throw new YoiError(
        "config_invalid",
        `The sandbox cannot protect ${quotePath(git)} because it is a link or a special file: replace it by the directory itself, or by a file with the line "gitdir: <path>".`,
      );
  }
}

function protectGitDirectory(mounts: Mounts, git: string, around: Surroundings): void {
  if (accessAt(mounts, git) !== "write" || around.kindOf(git) !== "directory") return;
  const held = [...gitProtected.map(({ name }) => name), ...gitRedirects, ...gitWholes].map((name) =>
    childOf(git, name),
  );
  const replaceable = held.some((path) => around.kindOf(path) === "link");
  put(mounts, git, { kind: "bind", access: replaceable ? "read" : "write" }, around);
  for (const { name, kind } of gitProtected) {
    restrict(
      mounts,
      { path: childOf(git, name), left: "read", missing: kind === "file" ? "hold_file" : "hold_directory" },
      around,
    );
  }
  for (const name of [...gitRedirects, ...gitWholes])
    restrict(mounts, { path: childOf(git, name), left: "read", missing: "skip" }, around);
}

/** The directories that a `.git` file of a worktree or a submodule leads to. */
function linkedGitDirectories(gitFile: string, around: Surroundings): string[] {
  const named = /^gitdir: (.+)$/m.exec(around.readText(gitFile) ?? "")?.[1];
  if (named === undefined) return [];
  const own = around.realPath(resolveFrom(parentOf(gitFile), named));
  if (own === null) return [];
  const shared = around.readText(childOf(own, "commondir"))?.trim();
  const common = shared === undefined || shared === "" ? null : around.realPath(resolveFrom(own, shared));
  return common === null || common === own ? [own] : [own, common];
}

/** A path as a file in `directory` names it. */
export function resolveFrom(directory: string, path: string): string {
  const names: string[] = [];
  for (const name of pathComponents(path.startsWith("/") ? path : `${directory}/${path}`)) {
    if (name === "..") names.pop();
    else names.push(name);
  }
  return joinComponents(names);
}

/** `.yoi` is put together from what is in it, so that no configuration can be added to it; where it is missing in the workspace it stays empty. */
export function protectProject(
  mounts: Mounts,
  root: string,
  isWorkspace: boolean,
  around: Surroundings,
): void {
  const project = childOf(root, ".yoi");
  if (accessAt(mounts, project) !== "write") return;
  switch (around.kindOf(project)) {
    case "missing":
      if (isWorkspace) put(mounts, project, { kind: "fixed" }, around);
      return;
    case "directory":
      fixDirectory(mounts, project, (name) => (projectProtected.includes(name) ? "read" : "write"), around);
      return;
    case "file":
    case "link":
    case "other":
      if (!isWorkspace) {
        const real = around.realPath(project);
        if (real !== null && real !== project)
          restrict(mounts, { path: real, left: "read", missing: "skip" }, around);
        return;
      }
      throw new YoiError(
        "config_invalid",
        `The sandbox cannot protect ${quotePath(project)} because it is not a directory: replace it by a directory, or remove it.`,
      );
  }
}

/** Makes `directory` take no new names: each entry is mounted with the access that `accessOf` gives it. */
export function fixDirectory(
  mounts: Mounts,
  directory: string,
  accessOf: (name: string) => "read" | "write",
  around: Surroundings,
): void {
  const names = around.list(directory);
  if (names.length > fixedEntriesMax) {
    throw new YoiError(
      "limit_exceeded",
      `The sandbox cannot protect ${quotePath(directory)} because it has ${names.length} entries and the most it can mount one by one is ${fixedEntriesMax}: work in a directory below it.`,
    );
  }
  put(mounts, directory, { kind: "fixed" }, around);
  const links: string[] = [];
  for (const name of names) {
    const path = childOf(directory, name);
    const kind = around.kindOf(path);
    if (kind === "directory" || kind === "file") mounts.set(path, { kind: "bind", access: accessOf(name) });
    else if (kind === "link") links.push(name);
  }
  for (const name of links) {
    const path = childOf(directory, name);
    mounts.set(path, { kind: "link", target: around.readLink(path) ?? "" });
    const real = around.realPath(path);
    if (real !== null && accessOf(name) === "read")
      restrict(mounts, { path: real, left: "read", missing: "skip" }, around);
  }
}
