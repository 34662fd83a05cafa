/** The rules of a walk: what the scope and the protection say about a real path, asked while the path is being walked. */
import { YoiError, type Scope } from "@yoi/base";
import {
  childOf,
  isBelow,
  isOfTickets,
  lowerPermission,
  parentOf,
  permissionAt,
  permittedAt,
  type Permission,
  type Protection,
  quotePath,
} from "@yoi/scope";

export interface Rules {
  permission(path: string): Permission;
  /** For all that is directly in a directory at once; null where something in it is named on its own. */
  permissionIn(directory: string): Permission | null;
  /** True for a directory through which something granted is reached. */
  leadsToGrant(path: string): boolean;
  /** True where a rule of its own begins: from here on another file system is what the user granted. */
  isGrant(path: string): boolean;
  /** True for a name that may be there and may not be made: directly in the `.yoi` of what is writable, as in the sandbox. */
  isClosed(path: string): boolean;
}

/** A name that no file can have. */
const anyName = "\0";

export function rulesOf(scope: Scope, protection: Protection): Rules {
  const spill = protection.spill === null ? [] : [protection.spill];
  const grants = new Set(
    scope.allow
      .map((rule) => rule.target)
      .filter((target) => permittedAt(scope, protection, target) !== "none"),
  );
  const targets = [...grants, ...spill];
  const named = [...scope.allow, ...scope.deny].map((rule) => rule.target);
  const withNamed = new Set([...named, ...protection.hidden, ...spill].map(parentOf));
  const project = childOf(protection.workspace, ".yoi").toLowerCase();
  const projects = new Set([project, ...[...grants].map((target) => childOf(target, ".yoi").toLowerCase())]);
  return {
    permission: (path) => permittedAt(scope, protection, path),
    permissionIn: (directory) =>
      withNamed.has(directory) || isOfTickets(directory)
        ? null
        : permittedAt(scope, protection, childOf(directory, anyName)),
    leadsToGrant: (path) => targets.some((target) => isBelow(path, target)),
    isClosed: (path) => {
      // Some file systems take `.YOI` for `.yoi`.
      const folded = path.toLowerCase();
      return folded === project || projects.has(parentOf(folded));
    },
    isGrant: (path) => grants.has(path) || spill.includes(path),
  };
}

/** Nowhere more than `rules` give, and nothing that `grants` do not name: what protects a path at a wider grant protects it at a narrower one. */
export function narrowedTo(rules: Rules, grants: Scope): Rules {
  const targets = grants.allow.map((rule) => rule.target);
  return {
    permission: (path) => lowerPermission(rules.permission(path), permissionAt(grants, path)),
    permissionIn: () => null,
    leadsToGrant: (path) =>
      targets.some((target) => isBelow(path, target)) &&
      (rules.permission(path) !== "none" || rules.leadsToGrant(path)),
    isClosed: rules.isClosed,
    isGrant: rules.isGrant,
  };
}

/** The one answer for everything that may not be touched, there or not, so that asking tells nothing about what is outside. */
export function outOfScope(
  asked: string,
  real: string,
  wanted: "read" | "write",
  held: Permission,
): YoiError {
  const what = real === asked ? quotePath(asked) : `${quotePath(asked)}, which leads to ${quotePath(real)},`;
  const isHeld = held === "read" && wanted === "write";
  const why = isHeld ? "is read-only in this Pod's scope" : "is outside this Pod's scope";
  const instead =
    isHeld && isOfTickets(real)
      ? "tickets change through the tools for them alone, or by the user with `yoi ticket`"
      : "work on a path that the scope lists, or ask the user to add a rule for it";
  return new YoiError("out_of_scope", `The path ${what} ${why}: ${instead}.`, { place: { path: real } });
}
