/** One target of a lend: walked to without a link on the way, of a kind that can be lent, on the file system that was granted. */
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
import { refused } from "./refused.ts";

export interface Target {
  /** With the real path; that of a file is not recursive. */
  readonly rule: ScopeRule;
  readonly kind: "directory" | "file" | "missing";
  /** Of what is lent to write; null: it is lent to read. */
  readonly identity: Identity | null;
}

export interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

interface Held {
  readonly scope: Scope;
  readonly rules: Rules;
  /** Of the machine, real paths. */
  readonly points: readonly string[];
}

export function checkTarget(asked: ScopeRule, held: Held): Target {
  const path = realTarget(asked.target);
  const rule: ScopeRule = { target: path, permission: asked.permission, recursive: asked.recursive };
  mustHold(rule, held.rules.permission(path));
  mustBeOneMount(rule, held);
  const walked = walkStraight(path, held.rules);
  try {
    return checkWalked(rule, walked);
  } finally {
    walked.close();
  }
}

/** What is at a target now; null when it is not there, or not without a link on the way. */
export function identityAt(path: string, rules: Rules): Identity | null {
  const walked = walkStraight(path, rules);
  try {
    return walked.entry === null ? null : { dev: walked.entry.stat.dev, ino: walked.entry.stat.ino };
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

function checkWalked(asked: ScopeRule, { entry }: Walked): Target {
  const { target, permission } = asked;
  // A file's rule says nothing of what would be below it, and that tells the sandbox of the lender that a file is lent.
  const rule = entry?.stat.isFile() === true ? { ...asked, recursive: false } : asked;
  if (entry === null) {
    if (permission === "read") return { rule, kind: "missing", identity: null };
    throw refused(target, "does not exist", "make it, then lend it, or name what is there");
  }
  const { stat } = entry;
  const kind = stat.isDirectory() ? "directory" : "file";
  if (kind === "file" && !stat.isFile())
    throw refused(target, "is neither a directory nor a regular file", "name a directory or a file");
  if (permission === "read") return { rule, kind, identity: null };
  if (kind === "file" && isGitName(target.slice(target.lastIndexOf("/") + 1)))
    throw refused(target, "leads git elsewhere and is protected", "lend it to read, or name something else");
  if (kind === "file" && stat.nlink > 1n) {
    throw refused(
      target,
      `has ${stat.nlink} hard links, so writing it writes somewhere else too`,
      "replace it by a copy of itself, then lend that",
    );
  }
  return { rule, kind, identity: { dev: stat.dev, ino: stat.ino } };
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
