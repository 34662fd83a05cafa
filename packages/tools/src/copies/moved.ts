/** Moved files: what one holds must not go away where it cannot come back. */

/**
 * Files that must stay as they are because they hold what stood in one that stays, each with that one.
 * @param from where what a file holds stood before, by its path.
 */
export function staysWith(
  from: ReadonlyMap<string, readonly string[]>,
  stays: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let isMore = true; isMore;) {
    isMore = false;
    for (const [path, sources] of from) {
      const source = sources.find((one) => stays.has(one) || found.has(one));
      if (source === undefined || stays.has(path) || found.has(path)) continue;
      found.set(path, source);
      isMore = true;
    }
  }
  return found;
}

export function movedWhy(source: string): string {
  return `it holds what stood in ${source}, which is not put back`;
}
