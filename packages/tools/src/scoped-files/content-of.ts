/** contentOf: what a file holds that a descent comes to. */
import { closeSync, fstatSync, readFileSync } from "node:fs";
import { parentOf } from "@yoi/scope";
import { bytesOf, type Descent } from "./descent.ts";

/** Null: it is larger than that, or not to be had. */
export function contentOf(descent: Descent, path: string, bytesMax: number): Buffer | null {
  const directory = parentOf(path);
  const prefix = bytesOf(directory === "/" ? "/" : `${directory}/`);
  if (descent.goTo(prefix) !== null) return null;
  const fd = descent.openFile(bytesOf(path.slice(path.lastIndexOf("/") + 1)));
  if (typeof fd !== "number") return null;
  try {
    return fstatSync(fd).size > bytesMax ? null : readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
