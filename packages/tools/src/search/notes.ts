/** What a search could not look at, said below what it found. */
import type { Tree } from "../scoped-files/tree.ts";
import { treeEntriesMax } from "../scoped-files/tree.ts";
import { type LeftOut, searchedBytesMax } from "./search-files.ts";
import { showName } from "./show-name.ts";

/** Most paths that are named. */
export const namedMax = 10;

/** Lines in brackets; none where all was looked at. */
export function notesOf(search: {
  readonly tree: Tree & { readonly forbidden: number };
  readonly leftOut: LeftOut | null;
}): string[] {
  const { tree, leftOut } = search;
  const unreadable = [...tree.unreadable, ...(leftOut?.unreadable ?? [])].toSorted((a, b) =>
    a < b ? -1 : 1,
  );
  const notes: string[] = [];
  if (tree.cutAt !== null)
    notes.push(
      `only the first ${treeEntriesMax} entries were looked at, the last of them in ${showName(tree.cutAt)}: name a directory further down in path`,
    );
  if (tree.forbidden > 0)
    notes.push(
      `${count(tree.forbidden, "file")} left out, which the user's permission rules do not let be shown`,
    );
  if (unreadable.length > 0) {
    const more = unreadable.length - namedMax;
    const named = unreadable.slice(0, namedMax).map(showName).join(", ");
    notes.push(`could not be read and was left out: ${named}${more > 0 ? ` and ${more} more` : ""}`);
  }
  if (leftOut !== null && leftOut.binary > 0)
    notes.push(`${count(leftOut.binary, "binary file")} with a match left out`);
  if (leftOut !== null && leftOut.large > 0)
    notes.push(
      `${count(leftOut.large, "file")} of more than ${searchedBytesMax / 1024 / 1024} MiB left out: search there with the Bash tool`,
    );
  return notes.map((note) => `[${note}]`);
}

function count(number: number, one: string): string {
  return number === 1 ? `1 ${one}` : `${number} ${one}s`;
}
