/** Mount: one thing that the sandbox puts at a path. The path is the same inside and outside. */
import { isBelow, parentOf } from "@yoi/scope";

export type Mount =
  /** The machine's own file or directory, with all below it. */
  | { readonly kind: "bind"; readonly access: "read" | "write" }
  /** An empty directory of the sandbox, writable, gone with it. */
  | { readonly kind: "private" }
  /** A directory that holds exactly what is mounted below it, and takes no new names. With nothing below, a mask. */
  | { readonly kind: "fixed" }
  /** A file that cannot be read. */
  | { readonly kind: "masked_file" }
  /** A file that is empty and stays so. The mount point is made where it is missing. */
  | { readonly kind: "empty_file" }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "proc" }
  | { readonly kind: "dev" };

export type Mounts = Map<string, Mount>;

export interface Cover {
  readonly path: string;
  readonly mount: Mount;
}

/** The mount that decides what is seen at `path`: its own, or that of the nearest directory above. Null: the empty root. */
export function coverOf(mounts: Mounts, path: string): Cover | null {
  for (let place = path; ; place = parentOf(place)) {
    const mount = mounts.get(place);
    if (mount !== undefined) return { path: place, mount };
    if (place === "/") return null;
  }
}

/** True when a command can have `path` as its directory: something of the machine is there, or it is put together from what is. */
export function isVisible(mounts: Mounts, path: string): boolean {
  if (accessAt(mounts, path) !== "none") return true;
  const isPutTogether = mounts.get(path)?.kind === "fixed";
  return (
    isPutTogether &&
    [...mounts.keys()].some((other) => isBelow(path, other) && accessAt(mounts, other) !== "none")
  );
}

/** What of the machine is seen at `path`. */
export function accessAt(mounts: Mounts, path: string): "none" | "read" | "write" {
  const mount = coverOf(mounts, path)?.mount;
  return mount?.kind === "bind" ? mount.access : "none";
}
