/** Paths that only the user may reach: anything else there is refused, because it may be somebody's trap. */
import { YoiError } from "@yoi/base";
import type { InspectPath, PathProtection } from "./ports.ts";

const forOthers = 0o077;

/** False: nothing is there. Throws `permission_denied` with what to do when it is not what it must be. */
export async function isPrivate(
  path: string,
  kind: "file" | "directory",
  inspect: InspectPath,
): Promise<boolean> {
  const found = await inspect(path);
  if (found === null) return false;
  const problem = problemOf(found, kind);
  if (problem === null) return true;
  throw new YoiError(
    "permission_denied",
    `${path} ${problem}; secrets are kept only where nobody else can get at them.`,
    { place: { path } },
  );
}

function problemOf({ kind, mode, own }: PathProtection, expected: "file" | "directory"): string | null {
  if (kind === "link") return "is a symbolic link: put what it points to in its place";
  if (kind !== expected) return `is not a ${expected}: move it away`;
  if (!own) return "belongs to another user: move it away, or make it yours";
  if ((mode & forOthers) !== 0) {
    const right = expected === "directory" ? "700" : "600";
    return `may be used by others (mode ${mode.toString(8)}): run chmod ${right} on it, and replace the secrets that were in it`;
  }
  return null;
}
