/** contentOf: what a file holds that a descent comes to. */
import { closeSync, fstatSync, readFileSync } from "node:fs";
import { YoiError } from "@yoi/base";
import { parentOf } from "@yoi/scope";
import { codeOf } from "./descriptor.ts";
import { bytesOf, type Descent } from "./descent.ts";

/** `large`: it has more bytes than that. `unreadable`: it is gone, closed, or the disk does not give it. */
export function contentOf(descent: Descent, path: string, bytesMax: number): Buffer | "large" | "unreadable" {
  const directory = parentOf(path);
  try {
    if (descent.goTo(bytesOf(directory === "/" ? "/" : `${directory}/`)) !== null) return "unreadable";
    const fd = descent.openFile(bytesOf(path.slice(path.lastIndexOf("/") + 1)));
    if (typeof fd !== "number") return "unreadable";
    try {
      return fstatSync(fd).size > bytesMax ? "large" : readFileSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (error instanceof YoiError || codeOf(error) !== undefined) return "unreadable";
    throw error;
  }
}
