/** One target of a lend: walked to without a link on the way, of a kind that can be lent, on the file system that was granted. */
import type { BigIntStats } from "node:fs";
import { type Scope, type ScopeRule, YoiError } from "@yoi/base";
import {
  isBelow,
  isGitName,
  isWithin,
  normalPath,
  pathProblem,
  permits,
  quotePath,
  type Permission,
} from "@yoi/scope";
import type { Rules } from "../scoped-files/rules.ts";
import { type Walked, walk } from "../scoped-files/walk.ts";
import { type Counts, mustBeMountable } from "./mountable.ts";
import { refused } from "./refused.ts";

export interface Target {
  /** With the real path; that of a file is not recursive. */
  readonly rule: ScopeRule;
  readonly kind: "directory" | "file" | "missing";
  /** Throws loan_refused where it is lent to write and is no longer the same file or directory, reached without a link on the way. */
  again(): void;
}

interface Held {
  readonly scope: Scope;
  readonly rules: Rules;
  /** Of the machine, real paths. */
  readonly points: readonly string[];
  readonly counts: Map<string, Counts>;
}

export function checkTarget(asked: ScopeRule, held: Held): Target {
  const path = realTarget(asked.target);
  const rule: ScopeRule = { target: path, permission: asked.permission, recursive: asked.recursive };
  mustHold(rule, held.rules.permission(path));
  mustBeOneMount(rule, held);
  const walked = walkStraight(path, held.rules);
  try {
    return checkWalked(rule, walked, held);
  } finally {
    walked.close();
  }
}

function realTarget(target: string): string {
  const problem = pathProblem(target);
  if (problem !== null)
    throw new YoiError("loan_refused", `The path to lend, ${quotePath(target)}, ${problem}.`);
  return normalPath(target);
}

function mustHold({ target, permission }: ScopeRule, held: Permission): void {
  if (permits(held, permission)) return;
  throw held === "none"
    ? refused(target, "is outside of what this Pod holds", "name a path that its scope lists")
    : refused(
        target,
        "cannot be written by this Pod itself now (its scope gives it to read, it is protected, or it is lent already)",
        "lend it to read, or name something that this Pod can write",
      );
}

/** The walk follows links, so where it ends elsewhere there was one. */
function walkStraight(path: string, rules: Rules): Walked {
  let walked: Walked;
  try {
    walked = walk(path, "read", rules);
  } catch (cause) {
    if (!(cause instanceof YoiError)) throw cause;
    throw new YoiError("loan_refused", cause.message, { cause, place: { path } });
  }
  if (walked.path === path) return walked;
  walked.close();
  throw refused(
    path,
    "is a symbolic link, or is reached through one",
    `name ${quotePath(walked.path)}, to which it leads`,
  );
}

function checkWalked(asked: ScopeRule, walked: Walked, held: Held): Target {
  const { target, permission } = asked;
  const { entry } = walked;
  // A file's rule says nothing of what would be below it, and that tells the sandbox of the lender that a file is lent.
  const rule = entry?.stat.isFile() === true ? { ...asked, recursive: false } : asked;
  if (entry === null) {
    if (permission === "read") return { rule, kind: "missing", again: () => {} };
    throw refused(target, "does not exist", "make it, then lend it, or name what is there");
  }
  const { stat } = entry;
  const kind = stat.isDirectory() ? "directory" : "file";
  if (kind === "file" && !stat.isFile())
    throw refused(target, "is neither a directory nor a regular file", "name a directory or a file");
  mustBeMountable(rule, walked, held);
  if (permission === "read") return { rule, kind, again: () => {} };
  if (isGitName(target.slice(target.lastIndexOf("/") + 1)))
    throw refused(
      target,
      "says what git runs and where it looks",
      "lend it to read, or lend the directory that holds it",
    );
  if (kind === "file" && stat.nlink > 1n) {
    throw refused(
      target,
      `has ${stat.nlink} hard links, so writing it writes somewhere else too`,
      "replace it by a copy of itself, then lend that",
    );
  }
  return { rule, kind, again: () => mustBeSame(target, stat, held.rules) };
}

function mustBeSame(target: string, was: Pick<BigIntStats, "dev" | "ino">, rules: Rules): void {
  const walked = walkStraight(target, rules);
  try {
    const now = walked.entry?.stat;
    if (now?.dev === was.dev && now.ino === was.ino) return;
  } finally {
    walked.close();
  }
  throw new YoiError(
    "loan_refused",
    `${quotePath(target)} was renamed or replaced while it was being lent: look at what is there now, then lend it again.`,
    { place: { path: target } },
  );
}

/** Another mount than the granted one is something else in its place, also where it is of the same file system. */
function mustBeOneMount({ target, permission }: ScopeRule, { scope, points }: Held): void {
  const grant = grantOf(target, scope);
  const above = points.find((point) => isBelow(grant, point) && isWithin(point, target));
  if (above !== undefined) {
    throw refused(
      target,
      `lies on another mount (${quotePath(above)}) than ${quotePath(grant)}, which was granted`,
      "name something outside of that mount, or ask the user to add a rule for it",
    );
  }
  const below = permission === "write" ? points.find((point) => isBelow(target, point)) : undefined;
  if (below !== undefined) {
    throw refused(
      target,
      `has something mounted below it, at ${quotePath(below)}`,
      "name directories beside that mount",
    );
  }
}

/** The nearest rule that grants the target: from there on the file system is what the user granted. */
function grantOf(target: string, { allow }: Scope): string {
  const grants = allow.map((rule) => rule.target).filter((granted) => isWithin(granted, target));
  return grants.reduce((nearest, granted) => (isWithin(nearest, granted) ? granted : nearest), "/");
}
