/** What a lend makes the sandbox mount one by one: never more than it can, or an accepted lend would take a Pod's shell away. */
import { opendirSync } from "node:fs";
import type { ScopeRule } from "@yoi/base";
import { fixedEntriesMax } from "@yoi/sandbox";
import { parentOf, quotePath } from "@yoi/scope";
import { codeOf, failure, itself } from "../scoped-files/descriptor.ts";
import type { Rules } from "../scoped-files/rules.ts";
import type { Walked } from "../scoped-files/walk.ts";
import { refused } from "./refused.ts";

/** What is directly in a directory. */
export interface Counts {
  files: number;
  directories: number;
}

interface Looked {
  readonly rules: Rules;
  /** Of the directories that one lend has asked for so far: many files may lie in one. */
  readonly counts: Map<string, Counts>;
}

/** Throws loan_refused. @param rule canonical; that of a file is not recursive. */
export function mustBeMountable(rule: ScopeRule, { entry, parent }: Walked, looked: Looked): void {
  const { target, permission, recursive } = rule;
  if (recursive || entry === null) return;
  const isToWrite = permission === "write";
  if (entry.stat.isDirectory()) {
    const { files, directories } = countsOf(entry.fd, target, looked);
    if (files <= fixedEntriesMax && (!isToWrite || directories <= fixedEntriesMax)) return;
    throw refused(
      target,
      `has ${files > fixedEntriesMax ? `${files} files` : `${directories} directories`} directly in it, and the sandbox can mount ${fixedEntriesMax} one by one`,
      "lend it with all below it, or name what is in it",
    );
  }
  const directory = parentOf(target);
  // What is lent of a directory that the lender cannot write is a mount of its own.
  if (!isToWrite || looked.rules.permission(directory) !== "write") return;
  const { directories } = countsOf(parent.fd, directory, looked);
  if (directories <= fixedEntriesMax) return;
  throw refused(
    target,
    `lies in ${quotePath(directory)} beside ${directories} directories, and the sandbox can mount ${fixedEntriesMax} one by one`,
    "lend all of that directory, or put the file into a directory of its own",
  );
}

function countsOf(fd: number, path: string, { counts }: Looked): Counts {
  const known = counts.get(path);
  if (known !== undefined) return known;
  const counted: Counts = { files: 0, directories: 0 };
  try {
    using directory = opendirSync(itself(fd), { encoding: "latin1", bufferSize: 256 });
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
      if (entry.isFile()) counted.files += 1;
      else if (entry.isDirectory()) counted.directories += 1;
    }
  } catch (cause) {
    // The sandbox mounts nothing of what this process cannot list.
    if (codeOf(cause) !== "EACCES") throw failure("list", path, cause);
  }
  counts.set(path, counted);
  return counted;
}
