/** The way to a path: whether another user could put something else in its place. Every directory and link on it is looked at. */
import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Found {
  readonly kind: "directory" | "file" | "link" | "other";
  readonly uid: number;
  readonly gid: number;
  /** With the sticky bit. */
  readonly mode: number;
  readonly bytes: number;
  /** Of a link. */
  readonly target: string | null;
}
/** Null: nothing is there. */
export type Look = (path: string) => Found | null;

export interface Weakness {
  readonly path: string;
  readonly why: "foreign" | "writable" | "not_a_directory" | "links";
  readonly uid: number;
}

/** As the system resolves paths. */
export const linksMax = 40;
const stickyBit = 0o1000;

/**
 * The first place on the way to `path`, itself left out, at which somebody but `uid` and root decides what stands there; null: none. What is
 * missing is nobody's yet.
 */
export function weaknessOfWay(path: string, uid: number, look: Look): Weakness | null {
  const names = ["/", ...namesOf(dirname(path))];
  let at = "/";
  let links = 0;
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const next = join(at, name);
    const found = look(next);
    if (found === null) return null;
    const weak = (why: Weakness["why"]): Weakness => ({ path: next, why, uid: found.uid });
    if (found.uid !== uid && found.uid !== 0) return weak("foreign");
    if (found.target !== null) {
      links += 1;
      if (links > linksMax) return weak("links");
      if (found.target.startsWith("/")) at = "/";
      names.unshift(...namesOf(found.target));
      continue;
    }
    if (found.kind !== "directory") return weak("not_a_directory");
    if (isOpen(found)) return weak("writable");
    at = next;
  }
  return null;
}

/** Where the sticky bit is set, only its owner takes an entry away, and those on the way are looked at. */
function isOpen({ uid, gid, mode }: Found): boolean {
  // A group with the number of the user is that user's own: many systems let it write by default.
  const others = uid === gid ? 0o002 : 0o022;
  return (mode & others) !== 0 && (mode & stickyBit) === 0;
}

function namesOf(path: string): readonly string[] {
  return path.split("/").filter((name) => name !== "");
}

/** What stands there itself. Throws what the system throws. */
export const look: Look = (path) => {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  const { uid, gid, size: bytes } = stat;
  const mode = stat.mode & 0o7777;
  if (stat.isSymbolicLink()) return { kind: "link", uid, gid, mode, bytes, target: readlinkSync(path) };
  const kind = stat.isDirectory() ? "directory" : stat.isFile() ? "file" : "other";
  return { kind, uid, gid, mode, bytes, target: null };
};
