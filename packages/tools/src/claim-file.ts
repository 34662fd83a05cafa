/** The claim of a call on its one file: a change of it is made alone, so that none is lost and nothing is read that was to be changed before. */
import type { Claim } from "@yoi/base";
import type { ScopedFiles } from "./scoped-files.ts";

/** Null for what is not a path: the call is refused when it runs. */
export function claimFile(files: ScopedFiles, path: unknown, mode: Claim["mode"]): Claim | null {
  return typeof path === "string" ? { path: files.locate(path), mode } : null;
}
