/** Paths that only the user may reach: anything else there is refused, because it may be somebody's trap. */
import { YoiError } from "@yoi/base";
import type { InspectPath, PathProtection } from "./ports.ts";

const forOthers = 0o077;

/** What is said of a place that others can get at. */
export interface PrivacyWords {
  /** What is kept there, and where only. */
  readonly rule: string;
  /** What to do once it is closed to them: they may have been there. */
  readonly afterwards: string;
  /** What to do with a file instead, where that is safer than to close it. */
  readonly instead?: string;
}

/** False: nothing is there. Throws `permission_denied` with what to do when it is not what it must be. */
export async function isPrivate(
  path: string,
  kind: "file" | "directory",
  look: { readonly inspect: InspectPath; readonly words: PrivacyWords },
): Promise<boolean> {
  return (await privateAt(path, kind, look)) !== null;
}

/** The same with what is there; null: nothing. */
export async function privateAt(
  path: string,
  kind: "file" | "directory",
  { inspect, words }: { readonly inspect: InspectPath; readonly words: PrivacyWords },
): Promise<PathProtection | null> {
  const found = await inspect(path);
  if (found === null) return null;
  const problem = problemOf(found, kind, words);
  if (problem === null) return found;
  throw new YoiError("permission_denied", `${path} ${problem}; ${words.rule}.`, { place: { path } });
}

/** The same for directories that lie in each other, outermost first. */
export async function arePrivate(
  directories: readonly string[],
  look: { readonly inspect: InspectPath; readonly words: PrivacyWords },
): Promise<boolean> {
  for (const directory of directories) if (!(await isPrivate(directory, "directory", look))) return false;
  return true;
}

function problemOf(
  { kind, mode, own }: PathProtection,
  expected: "file" | "directory",
  { afterwards, instead }: PrivacyWords,
): string | null {
  if (kind === "link") return "is a symbolic link: put what it points to in its place";
  if (kind !== expected) return `is not a ${expected}: move it away`;
  if (!own) return "belongs to another user: move it away, or make it yours";
  if ((mode & forOthers) !== 0) {
    const others = `may be used by others (mode ${mode.toString(8)})`;
    if (expected === "file" && instead !== undefined) return `${others}: ${instead}`;
    const right = expected === "directory" ? "700" : "600";
    return `${others}: run chmod ${right} on it, and ${afterwards}`;
  }
  return null;
}
