/** What the rules of the user forbid to show of a tree: a search of a directory is no way around a rule about a file in it. */
import { textOf } from "../scoped-files/descent.ts";

/** Between two chances for others to run. */
const filesBetweenPauses = 1024;

/** The tree without those files, and how many they were. */
export async function withoutForbidden<Tree extends { readonly files: readonly string[] }>(
  tree: Tree,
  mayShow: (path: string) => boolean,
  pause: () => Promise<void>,
): Promise<Tree & { readonly forbidden: number }> {
  const files: string[] = [];
  for (const [index, path] of tree.files.entries()) {
    if (index % filesBetweenPauses === filesBetweenPauses - 1) await pause();
    if (mayShow(textOf(path))) files.push(path);
  }
  return { ...tree, files, forbidden: tree.files.length - files.length };
}
