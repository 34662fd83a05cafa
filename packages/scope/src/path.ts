/** Paths as text: absolute, normalised, compared component by component. What a path really names is found by walking it, never here. */
import { YoiError } from "@yoi/base";

/** Linux: PATH_MAX, with its terminating NUL. */
export const pathBytesMax = 4095;
/** Linux: NAME_MAX. */
export const nameBytesMax = 255;

/** Why `path` cannot be used, as the end of a sentence that starts with the path; null when it can. */
export function pathProblem(path: string): string | null {
  if (path === "") return "is empty: give an absolute path";
  if (path.includes("\0")) return "contains a NUL character";
  if (!path.isWellFormed()) return "is not valid Unicode";
  if (!path.startsWith("/")) return "is not absolute: start it with /";
  if (Buffer.byteLength(path) > pathBytesMax) return `is longer than ${pathBytesMax} bytes`;
  for (const name of path.split("/")) {
    if (name === "..") return 'contains "..": write the path without it';
    if (Buffer.byteLength(name) > nameBytesMax) return `has a name longer than ${nameBytesMax} bytes`;
  }
  return null;
}

/** The path without empty and `.` components and without a final slash. Throws `out_of_scope` where `pathProblem` has something to say. */
export function normalPath(path: string): string {
  const problem = pathProblem(path);
  if (problem !== null) throw new YoiError("out_of_scope", `The path ${quotePath(path)} ${problem}.`);
  return joinComponents(pathComponents(path));
}

/** The names of an absolute path; none for `/`. */
export function pathComponents(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

export function joinComponents(names: readonly string[]): string {
  return `/${names.join("/")}`;
}

/** True when `path` is `directory` or lies below it. Both normalised. */
export function isWithin(directory: string, path: string): boolean {
  if (directory === "/") return true;
  // Asked for every rule of a scope at every decision: no text is made for it.
  return path.startsWith(directory) && (path.length === directory.length || path[directory.length] === "/");
}

/** True when `path` lies below `directory` and is not `directory` itself. */
export function isBelow(directory: string, path: string): boolean {
  return path !== directory && isWithin(directory, path);
}

/** The directory that holds `path`; `/` for `/`. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

export function childOf(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}

/** A path for a message: quoted, controls escaped, bounded. */
export function quotePath(path: string): string {
  return JSON.stringify(path.length > 300 ? `${path.slice(0, 300)}...` : path);
}
