/** Filters: which files below a directory a tool's glob means. */
import { YoiError } from "@yoi/base";
import { bytesOf } from "../scoped-files/descent.ts";
import { compileGlob } from "./match-glob.ts";

export interface Filter {
  /** @param path below the start, one character a byte. */
  test(path: string): boolean;
  /** False for a directory below which nothing can pass. */
  mayHold(path: string): boolean;
}

export const everything: Filter = { test: () => true, mayHold: () => true };

/** A glob for whole paths below the start. Throws `usage` for what is no glob, or leads elsewhere. */
export function filterOf(glob: string, argument: string): Filter {
  const bytes = checkedGlob(glob, argument);
  const test = compileGlob(bytes, { characters: true });
  if (typeof test === "string")
    throw new YoiError("usage", `The ${argument} ${JSON.stringify(glob)} ${test}.`);
  return { test, mayHold: literalDirectories(bytes) };
}

/** As ripgrep has them: without a slash it is about names, and `!` leaves out what it matches. */
export function nameFilterOf(glob: string, argument: string): Filter {
  if (glob.startsWith("!")) {
    const { test } = nameFilterOf(glob.slice(1), argument);
    return { test: (path) => !test(path), mayHold: everything.mayHold };
  }
  if (glob.includes("/")) return filterOf(glob, argument);
  return byName(filterOf(glob, argument).test);
}

/** A filter about the last name of a path, in whatever directory. */
export function byName(test: (name: string) => boolean): Filter {
  return { test: (path) => test(path.slice(path.lastIndexOf("/") + 1)), mayHold: everything.mayHold };
}

function checkedGlob(glob: string, argument: string): string {
  const problem =
    glob === ""
      ? "is empty"
      : glob.includes("\0") || !glob.isWellFormed()
        ? "contains a NUL character or half a character"
        : glob.startsWith("/")
          ? "begins with a slash: it is about what is below path, so name the directory there"
          : glob.split("/").includes("..")
            ? 'contains "..": name the directory in path'
            : null;
  if (problem !== null) throw new YoiError("usage", `The ${argument} ${JSON.stringify(glob)} ${problem}.`);
  const whole = glob.endsWith("/") ? `${glob}**` : glob;
  return bytesOf(whole.replace(/^(\.\/)+/, ""));
}

/** The directories that a glob names without any sign that stands for something else. */
function literalDirectories(glob: string): Filter["mayHold"] {
  const names: string[] = [];
  for (const name of glob.split("/").slice(0, -1)) {
    if (/[*?[\]{}\\]/.test(name)) break;
    names.push(name);
  }
  return (path) => path.split("/").every((name, depth) => depth >= names.length || names[depth] === name);
}
