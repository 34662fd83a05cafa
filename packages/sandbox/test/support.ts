/** A made-up machine for the planner, and mounts as lines. */
import type { PathKind, Surroundings } from "../src/surroundings.ts";
import type { Mounts } from "../src/mount.ts";

/** Paths to what is there: `dir`, a file's text, or `-> target`. Directories on the way are made. */
export function machine(entries: Readonly<Record<string, string>>): Surroundings {
  const all = new Map<string, string>([["/", "dir"]]);
  for (const [path, what] of Object.entries(entries)) {
    const names = path.split("/").slice(1);
    for (let depth = 1; depth < names.length; depth += 1) {
      const above = `/${names.slice(0, depth).join("/")}`;
      if (!all.has(above)) all.set(above, "dir");
    }
    all.set(path, what);
  }
  const realPath = (path: string): string | null => {
    let real = "";
    const names = path.split("/").filter(Boolean);
    for (let links = 0; names.length > 0;) {
      const name = names.shift() ?? "";
      if (name === "..") {
        real = real.slice(0, real.lastIndexOf("/"));
        continue;
      }
      const what = all.get(`${real}/${name}`);
      if (what === undefined) return null;
      if (what.startsWith("-> ")) {
        const target = what.slice(3);
        if (target.startsWith("/")) real = "";
        names.unshift(...target.split("/").filter(Boolean));
        links += 1;
        if (links > 40) return null;
      } else real = `${real}/${name}`;
    }
    return real === "" ? "/" : real;
  };
  const kindOf = (path: string): PathKind => {
    const what = all.get(path);
    if (what === undefined) return "missing";
    if (what === "dir") return "directory";
    if (what === "socket") return "other";
    return what.startsWith("-> ") ? "link" : "file";
  };
  const list = (path: string): string[] =>
    [...all.keys()]
      .filter(
        (other) => other !== "/" && other.slice(0, other.lastIndexOf("/")) === (path === "/" ? "" : path),
      )
      .map((other) => other.slice(other.lastIndexOf("/") + 1))
      .toSorted();
  return {
    kindOf,
    realPath,
    list,
    links: (path) =>
      list(path).filter((name) => kindOf(path === "/" ? `/${name}` : `${path}/${name}`) === "link"),
    readLink: (path) => (kindOf(path) === "link" ? (all.get(path) ?? "").slice(3) : null),
    readText: (path) => (kindOf(path) === "file" ? (all.get(path) ?? null) : null),
    isReadable: () => true,
  };
}

export function linesOf(mounts: Mounts): string[] {
  return [...mounts]
    .map(([path, mount]) => {
      const detail =
        mount.kind === "bind" ? ` ${mount.access}` : mount.kind === "link" ? ` ${mount.target}` : "";
      return `${path} ${mount.kind}${detail}`;
    })
    .toSorted();
}
