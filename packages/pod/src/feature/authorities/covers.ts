/** Which authority is contained in which other: what an approval gives of what a feature asks for. Pure; where it cannot tell, the answer is no. */
import { canonicalJson } from "@yoi/base";
import type { HostAuthority } from "@yoi/feature";
import { isWithin, joinComponents, pathComponents, pathProblem } from "@yoi/scope";
import { coversHost } from "@yoi/tools";

type Filesystem = Extract<HostAuthority, { kind: "filesystem" }>;

/** True when whoever has `wide` may do all that `narrow` allows. */
export function covers(wide: HostAuthority, narrow: HostAuthority): boolean {
  switch (wide.kind) {
    case "filesystem":
      return narrow.kind === "filesystem" && coversAccess(wide, narrow) && coversPath(wide.path, narrow.path);
    case "network":
      return (
        narrow.kind === "network" &&
        narrow.hosts.every((host) => wide.hosts.some((pattern) => coversHost(pattern, host)))
      );
    case "secret_ref":
    case "state_store":
    case "service_access":
    case "model_notification":
    case "pod_management":
      return canonicalJson(wide) === canonicalJson(narrow);
  }
}

/** What both give, as one authority: never more than either. Null: nothing. */
export function common(a: HostAuthority, b: HostAuthority): HostAuthority | null {
  if (covers(a, b)) return b;
  if (covers(b, a)) return a;
  if (a.kind === "filesystem" && b.kind === "filesystem") {
    const path = coversPath(a.path, b.path) ? b.path : coversPath(b.path, a.path) ? a.path : null;
    return path === null ? null : { kind: "filesystem", access: "read", path };
  }
  if (a.kind === "network" && b.kind === "network") {
    const hosts = [...insideOf(a.hosts, b.hosts), ...insideOf(b.hosts, a.hosts)];
    return hosts.length === 0 ? null : { kind: "network", hosts: [...new Set(hosts)] };
  }
  return null;
}

/**
 * True when `path` is `directory` or below it, by their names alone: links are for whoever opens the file. A path from the workspace and
 * an absolute one are never compared, and one with ".." in it is nowhere.
 */
export function coversPath(directory: string, path: string): boolean {
  const [outer, inner] = [placeOf(directory), placeOf(path)];
  if (outer === null || inner === null || outer.isAbsolute !== inner.isAbsolute) return false;
  return isWithin(outer.path, inner.path);
}

/** `write` includes `read`. */
function coversAccess(wide: Filesystem, narrow: Filesystem): boolean {
  return wide.access === "write" || narrow.access === "read";
}

function insideOf(patterns: readonly string[], hosts: readonly string[]): string[] {
  return hosts.filter((host) => patterns.some((pattern) => coversHost(pattern, host)));
}

/** Null: it names no place. A path from the workspace is put below "/", to be compared with its like. */
function placeOf(path: string): { readonly isAbsolute: boolean; readonly path: string } | null {
  const isAbsolute = path.startsWith("/");
  if (path === "" || pathProblem(isAbsolute ? path : `/${path}`) !== null) return null;
  return { isAbsolute, path: joinComponents(pathComponents(path)) };
}
