/** What says where a child may write is its parent's to say. */
import { type PodName, YoiError } from "@yoi/base";
import type { PodFlags } from "./pod-flags.ts";

/** What a child may do at most is said at its spawn: its parent starts it as that one is. */
export function startedByParent(name: PodName, parent: PodName, flags: readonly string[]): YoiError {
  return new YoiError(
    "usage",
    `The Pod ${name} is started by its parent ${parent}, which lends to it and takes no flags: leave out ${flags.join(", ")}, or have ${parent} begin a child that may do less.`,
  );
}

/** A child writes what its parent lends, for as long as it does. Throws usage. */
export function checkNoWrites({ readOnly, write }: PodFlags, name: PodName, parent: PodName): void {
  if (readOnly === true) throw startedByParent(name, parent, ["--read-only"]);
  if (write !== undefined) throw startedByParent(name, parent, ["--write"]);
}
