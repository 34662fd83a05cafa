/** Ignore files: what .gitignore, .ignore and .rgignore say about a path, as ripgrep reads them. */
import { compileGlob, type GlobTest } from "./match-glob.ts";

export type Verdict = "ignored" | "kept";

interface Rule {
  readonly verdict: Verdict;
  readonly onlyDirectories: boolean;
  /** The rule speaks about names at any depth, so that only the name has to be looked at. */
  readonly byName: boolean;
  readonly test: GlobTest;
}

/** What one ignore file says; a later line counts more. Paths are relative to its directory, one character a byte. */
export interface IgnoreRules {
  verdict(path: string, name: string, isDirectory: boolean): Verdict | null;
}

/** @param text one character a byte. A line that is no glob says nothing. */
export function parseIgnoreFile(text: string): IgnoreRules {
  const rules = text
    .replace(/^\xef\xbb\xbf/, "")
    .split("\n")
    .flatMap((line) => parseLine(line.replace(/\r$/, "")))
    .toReversed();
  return {
    verdict: (path, name, isDirectory) => {
      for (const rule of rules) {
        if (rule.onlyDirectories && !isDirectory) continue;
        if (rule.test(rule.byName ? name : path)) return rule.verdict;
      }
      return null;
    },
  };
}

function parseLine(whole: string): Rule[] {
  if (whole.startsWith("#")) return [];
  let glob = whole.endsWith("\\ ") ? whole : whole.replace(/[ \t\v\f\r\x85\xa0]+$/, "");
  if (glob === "") return [];
  let verdict: Verdict = "ignored";
  let isAnchored = false;
  if (glob.startsWith("\\!") || glob.startsWith("\\#")) glob = glob.slice(1);
  else {
    if (glob.startsWith("!")) {
      verdict = "kept";
      glob = glob.slice(1);
    }
    if (glob.startsWith("/")) {
      isAnchored = true;
      glob = glob.slice(1);
    }
  }
  const onlyDirectories = glob.endsWith("/");
  if (onlyDirectories) glob = glob.slice(0, -1).replace(/\\$/, "");
  const byName = !isAnchored && !glob.includes("/");
  // "All below" is not the directory itself.
  if (glob.endsWith("/**")) glob += "/*";
  const test = compileGlob(glob === "**" && byName ? "*" : glob, { characters: false });
  return typeof test === "string" ? [] : [{ verdict, onlyDirectories, byName, test }];
}

/** The ignore files of one directory, strongest first. */
export const ignoreFileNames = [".rgignore", ".ignore", ".gitignore", ".git/info/exclude"] as const;
export type IgnoreFileName = (typeof ignoreFileNames)[number];

/** A directory with its ignore files, below another. */
export interface IgnoreLevel {
  readonly parent: IgnoreLevel | null;
  /** The absolute path with a final slash, one character a byte. */
  readonly prefix: string;
  readonly files: Readonly<Partial<Record<IgnoreFileName, IgnoreRules>>>;
}

/** What is said about an absolute path: by the strongest kind of file that says something, and of that kind by the nearest. */
export function ignoreVerdict(
  level: IgnoreLevel | null,
  path: string,
  name: string,
  isDirectory: boolean,
): Verdict | null {
  for (const kind of ignoreFileNames) {
    for (let at = level; at !== null; at = at.parent) {
      const verdict = at.files[kind]?.verdict(path.slice(at.prefix.length), name, isDirectory) ?? null;
      if (verdict !== null) return verdict;
    }
  }
  return null;
}
