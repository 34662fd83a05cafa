/** The plan of a sandbox: which mounts make exactly what a scope allows, less the protection. */
import type { Scope, ScopeRule } from "@yoi/base";
import { YoiError } from "@yoi/base";
import {
  childOf,
  isBelow,
  isWithin,
  leftBy,
  pathComponents,
  permittedAt,
  parentOf,
  permits,
  quotePath,
  systemDirectories,
  type Protection,
} from "@yoi/scope";
import { accessAt, coverOf, type Mount, type Mounts } from "./mount.ts";
import { fixDirectory, fixedEntriesMax, protectGit, protectProject } from "./project-places.ts";
import { put, restrict } from "./restrict.ts";
import type { Surroundings } from "./surroundings.ts";

export interface PlanRequest {
  readonly scope: Scope;
  readonly protection: Protection;
  readonly network: boolean;
  /** yoi runs as root: the kernel lets that user write its settings without any capability, also from a namespace. */
  readonly asRoot: boolean;
}

/**
 * Plans a sandbox. A rule whose target is not canonical grants nothing but the link itself. A rule that is not recursive grants the regular files
 * that are there when the command starts; where they are too many, one that an answer gave is left out. Throws where something to be protected cannot be.
 */
export function planMounts(
  { scope, protection, network, asRoot }: PlanRequest,
  around: Surroundings,
): Mounts {
  const mounts: Mounts = new Map();
  startEmpty(mounts, scope);
  if (asRoot) mounts.set("/proc/sys", { kind: "bind", access: "read" });
  grant(mounts, scope, protection, around);
  linkSystemDirectories(mounts, scope, around);
  if (network) bindResolver(mounts, around);
  protectHome(mounts, scope, protection, around);
  const roots = [...mounts].filter(([, mount]) => isWritable(mount)).map(([path]) => path);
  for (const root of new Set([protection.workspace, ...roots])) {
    const isWorkspace = root === protection.workspace;
    protectProject(mounts, root, isWorkspace, around);
    protectGit(mounts, root, isWorkspace, around);
  }
  for (const rule of byDepth(scope.deny)) deny(mounts, rule, around);
  for (const path of protection.hidden) restrict(mounts, { path, left: "none", missing: "skip" }, around);
  for (const path of protection.readOnly) restrict(mounts, { path, left: "read", missing: "skip" }, around);
  if (protection.spill !== null && around.kindOf(protection.spill) === "directory") {
    mounts.set(protection.spill, { kind: "bind", access: "read" });
  }
  return mounts;
}

function isWritable(mount: Mount): boolean {
  return mount.kind === "bind" && mount.access === "write";
}

function byDepth(rules: readonly ScopeRule[]): readonly ScopeRule[] {
  return rules.toSorted((a, b) => pathComponents(a.target).length - pathComponents(b.target).length);
}

function deny(mounts: Mounts, rule: ScopeRule, around: Surroundings): void {
  const { target, recursive } = rule;
  if (isLentFile(rule, around)) return denyBeside(mounts, target, around);
  const left = leftBy(rule.permission) === "none" ? "none" : "read";
  const wasWritable = accessAt(mounts, target) === "write";
  // What was lent with all that is in it was a directory. What is not to be read is a file more often.
  restrict(mounts, { path: target, left, missing: left === "read" ? "hold_directory" : "hold_file" }, around);
  if (left === "read" && around.kindOf(target) === "link") denyBeside(mounts, target, around);
  if (recursive) {
    // What was mounted below it on its own, as the entries of a directory that takes no new ones are.
    for (const [path, mount] of mounts) {
      if (!isBelow(target, path) || mount.kind !== "bind") continue;
      if (left === "read") mounts.set(path, { kind: "bind", access: "read" });
      else if (path !== around.realPath("/etc/resolv.conf")) mounts.delete(path);
    }
  } else if (wasWritable && left === "read") reopenBelow(mounts, target, around);
}

/** A rule that is not recursive for what is no directory: so a file is lent. Its borrower replaces it by a rename, and that takes a mount on it away everywhere. */
function isLentFile({ target, permission, recursive }: ScopeRule, around: Surroundings): boolean {
  return !recursive && permission === "write" && around.kindOf(target) !== "directory";
}

/** Holds a file, there or not, or a link, which nothing can be mounted on, by the directory that holds it: what is directly in that is read-only, what is in its directories is not. */
function denyBeside(mounts: Mounts, file: string, around: Surroundings): void {
  const directory = parentOf(file);
  if (accessAt(mounts, file) !== "write") return;
  if (mounts.has(file)) mounts.set(file, { kind: "bind", access: "read" });
  if (around.kindOf(directory) !== "directory") {
    restrict(mounts, { path: file, left: "read", missing: "hold_file" }, around);
  } else if (accessAt(mounts, directory) === "write") {
    put(mounts, directory, { kind: "bind", access: "read" }, around);
    reopenBelow(mounts, directory, around);
  }
}

/** A deny that is not recursive speaks of a directory and of what is directly in it: what is in its directories stays writable. */
function reopenBelow(mounts: Mounts, directory: string, around: Surroundings): void {
  if (around.kindOf(directory) !== "directory") return;
  const below = around
    .list(directory)
    .map((name) => childOf(directory, name))
    .filter((path) => around.kindOf(path) === "directory" && accessAt(mounts, path) === "read");
  if (below.length > fixedEntriesMax) {
    throw new YoiError(
      "limit_exceeded",
      `What is directly in ${quotePath(directory)} is lent (StopPod takes a loan back) or denied, and it has ${below.length} directories, of which the sandbox can mount ${fixedEntriesMax}: lend or deny one of its directories, or all of it.`,
    );
  }
  for (const path of below) if (!mounts.has(path)) mounts.set(path, { kind: "bind", access: "write" });
}

/** What is the sandbox's own, whatever is granted above it. `/run` holds other programs' sockets, which a mount cannot make harmless. */
function startEmpty(mounts: Mounts, scope: Scope): void {
  mounts.set("/proc", { kind: "proc" });
  mounts.set("/dev", { kind: "dev" });
  if (!scope.allow.some((rule) => rule.target === "/tmp")) mounts.set("/tmp", { kind: "private" });
  const runIsBelow = scope.allow.some((rule) => rule.recursive && isBelow(rule.target, "/run"));
  if (runIsBelow && !scope.allow.some((rule) => rule.target === "/run"))
    mounts.set("/run", { kind: "fixed" });
}

function grant(mounts: Mounts, scope: Scope, protection: Protection, around: Surroundings): void {
  for (const rule of byDepth(scope.allow)) grantRule(mounts, rule, scope, protection, around);
  const { home } = protection;
  if (home !== null && home !== "/" && accessAt(mounts, home) === "none" && !mounts.has(home)) {
    mounts.set(home, { kind: "private" });
  }
}

function grantRule(
  mounts: Mounts,
  rule: ScopeRule,
  scope: Scope,
  protection: Protection,
  around: Surroundings,
): void {
  const kind = around.kindOf(rule.target);
  if (kind === "link" && accessAt(mounts, rule.target) === "none") {
    mounts.set(rule.target, { kind: "link", target: around.readLink(rule.target) ?? "" });
  }
  if ((kind !== "file" && kind !== "directory") || around.realPath(rule.target) !== rule.target) return;
  if (kind === "file") bindGranted(mounts, rule.target, scope, protection);
  else if (rule.recursive) bindGranted(mounts, rule.target, withoutShallow(scope, rule.target), protection);
  else bindFilesOf(mounts, rule, scope, protection, around);
}

/** Without the denies of this directory that say nothing of what is deeper in it: they are mounts of their own. */
function withoutShallow({ allow, deny: denied }: Scope, directory: string): Scope {
  return { allow, deny: denied.filter(({ target, recursive }) => recursive || target !== directory) };
}

function bindGranted(mounts: Mounts, path: string, scope: Scope, protection: Protection): void {
  if (isWithin("/proc", path) || isWithin("/dev", path)) return;
  const permission = permittedAt(scope, protection, path);
  if (permission === "none" || permits(accessAt(mounts, path), permission)) return;
  mounts.set(path, { kind: "bind", access: permission });
}

function bindFilesOf(
  mounts: Mounts,
  { target: directory, granted }: ScopeRule,
  scope: Scope,
  protection: Protection,
  around: Surroundings,
): void {
  const files = around
    .list(directory)
    .map((name) => childOf(directory, name))
    .filter((path) => around.kindOf(path) === "file");
  if (files.length > fixedEntriesMax) {
    // A file was granted, and a directory took its place: no reason that no command starts.
    if (granted === true) return;
    throw new YoiError(
      "limit_exceeded",
      `The scope's rule for ${quotePath(directory)} is not recursive and it has ${files.length} files, of which the sandbox can mount ${fixedEntriesMax}: make the rule recursive or name files; where it is a loan, its lender takes it back with StopPod and lends it so.`,
    );
  }
  if (coverOf(mounts, directory)?.mount.kind !== "bind") mounts.set(directory, { kind: "fixed" });
  for (const path of files) bindGranted(mounts, path, scope, protection);
}

/** `/bin` and its like are links into `/usr` on most machines, and every script names them. */
function linkSystemDirectories(mounts: Mounts, scope: Scope, around: Surroundings): void {
  for (const path of systemDirectories) {
    if (mounts.has(path) || accessAt(mounts, path) !== "none" || around.kindOf(path) !== "link") continue;
    const real = around.realPath(path);
    if (
      real !== null &&
      accessAt(mounts, real) !== "none" &&
      !scope.deny.some((rule) => isWithin(rule.target, path))
    ) {
      mounts.set(path, { kind: "link", target: around.readLink(path) ?? "" });
    }
  }
}

/** `/etc/resolv.conf` is often a link to where nothing is granted. */
function bindResolver(mounts: Mounts, around: Surroundings): void {
  const real = around.realPath("/etc/resolv.conf");
  if (real !== null && accessAt(mounts, "/etc/resolv.conf") !== "none" && accessAt(mounts, real) === "none") {
    mounts.set(real, { kind: "bind", access: "read" });
  }
}

/** A rule that contains the home directory: it takes no new names, and what runs at the next login is read-only. So are directories of programs in what an answer gave. */
function protectHome(mounts: Mounts, scope: Scope, protection: Protection, around: Surroundings): void {
  const { home, programs } = protection;
  if (home === null || home === "/") return;
  if (accessAt(mounts, home) !== "write") {
    for (const directory of programs) {
      if (isBelow(home, directory) && permittedAt(scope, protection, directory) === "read")
        restrict(mounts, { path: directory, left: "read", missing: "hold_directory" }, around);
    }
    return;
  }
  const accessOf = (name: string) =>
    permittedAt(scope, protection, childOf(home, name)) === "write" ? "write" : "read";
  fixDirectory(mounts, home, accessOf, around);
  for (const directory of programs) {
    if (isBelow(home, directory))
      restrict(mounts, { path: directory, left: "read", missing: "skip" }, around);
  }
  for (const rule of byDepth(scope.allow)) {
    if (isBelow(home, rule.target)) grantRule(mounts, rule, scope, protection, around);
  }
}
