/** Restrictions: taking away, below what is granted, what may not be read or written, so that no rename brings it back. */
import { isBelow, parentOf } from "@yoi/scope";
import { accessAt, coverOf, type Mounts } from "./mount.ts";
import type { Surroundings } from "./surroundings.ts";

export interface Restriction {
  readonly path: string;
  /** What is left. */
  readonly left: "none" | "read";
  /** A missing path that could be made: `hold` puts something there that cannot be changed, `skip` lets it be made. */
  readonly missing: "hold_file" | "hold_directory" | "skip";
}

export function restrict(mounts: Mounts, restriction: Restriction, around: Surroundings): void {
  const { path, left } = restriction;
  const seen = accessAt(mounts, path);
  if (seen === "none") return;
  const kind = around.kindOf(path);
  if (seen === "read" && left === "read" && kind !== "link") return;
  switch (kind) {
    case "missing":
      if (seen === "write" && restriction.missing !== "skip") hold(mounts, restriction, around);
      return;
    case "link": {
      // A link cannot be mounted on. What it leads to is what matters.
      const real = around.realPath(path);
      if (real !== null && real !== path) restrict(mounts, { path: real, left, missing: "skip" }, around);
      return;
    }
    case "directory":
      put(mounts, path, left === "read" ? { kind: "bind", access: "read" } : { kind: "fixed" }, around);
      return;
    case "file":
    case "other":
      if (left === "none" && !around.isReadable(path) && seen === "read") return;
      put(mounts, path, left === "read" ? { kind: "bind", access: "read" } : { kind: "masked_file" }, around);
  }
}

/** Holds the place of something missing: of the path itself, or of the first directory on the way that is missing too. */
function hold(mounts: Mounts, restriction: Restriction, around: Surroundings): void {
  let place = restriction.path;
  while (around.kindOf(parentOf(place)) === "missing") place = parentOf(place);
  const asFile = place === restriction.path && restriction.missing === "hold_file";
  put(mounts, place, { kind: asFile ? "empty_file" : "fixed" }, around);
}

/**
 * Mounts at `path` and pins the way to it: a mount point cannot be renamed, but a directory above one can, and would take it
 * along and leave its place free. So each directory between the writable mount and `path` becomes a mount point of its own.
 */
export function put(
  mounts: Mounts,
  path: string,
  mount: Parameters<Mounts["set"]>[1],
  around: Surroundings,
): void {
  const cover = coverOf(mounts, path);
  mounts.set(path, mount);
  if (cover?.mount.kind !== "bind" || cover.mount.access !== "write") return;
  for (let place = parentOf(path); isBelow(cover.path, place); place = parentOf(place)) {
    if (around.kindOf(place) === "directory") mounts.set(place, { kind: "bind", access: "write" });
  }
}
