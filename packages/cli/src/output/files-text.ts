/** Files text: what became of the files that a Pod's tools changed, a line each. */
import { escapeControls } from "@yoi/base";
import type { FileTold } from "@yoi/pod";

/** Most files that are listed of each kind; `--json` has all. */
const shownMax = 20;

const words: Readonly<Record<FileTold["outcome"], string>> = {
  restored: "restored",
  removed: "removed: it was not there",
  unchanged: "as it was already",
  restorable: "changed, can be put back",
  changed_since: "left alone: somebody else changed it",
  not_kept: "left alone: there is no copy",
  out_of_scope: "left alone: this Pod may not write it",
  failed: "left alone; the same command tries it again",
};

/** Ends with a line end, or is empty. */
export function filesText(files: readonly FileTold[], lost: number): string {
  const lines: string[] = [];
  for (const [outcome, said] of Object.entries(words)) {
    const some = files.filter((file) => file.outcome === outcome);
    for (const { path, why } of some.slice(0, shownMax))
      lines.push(`  ${escapeControls(path)} (${said}${why === undefined ? "" : `; ${escapeControls(why)}`})`);
    if (some.length > shownMax) lines.push(`  and ${some.length - shownMax} more (${said})`);
  }
  if (lost > 0) lines.push(`  and ${lost} more, of which no record says which they are`);
  return lines.map((line) => `${line}\n`).join("");
}
