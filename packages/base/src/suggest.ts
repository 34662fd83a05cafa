/** "Did you mean": the known name nearest to one that was mistyped. */

/** Longer names are not compared; no key of ours is near them. */
const comparedCharsMax = 64;

/** The nearest of `known`, or null when none is near: at most one edit in three characters, at most three in all. */
export function nearest(name: string, known: readonly string[]): string | null {
  if (name.length > comparedCharsMax) return null;
  const wanted = name.toLowerCase().replaceAll("-", "_");
  let best: string | null = null;
  let bestEdits = Math.min(3, Math.max(1, Math.floor(name.length / 3))) + 1;
  for (const candidate of known) {
    const edits = editDistance(wanted, candidate.toLowerCase().replaceAll("-", "_"));
    if (edits < bestEdits) {
      best = candidate;
      bestEdits = edits;
    }
  }
  return best;
}

/** Insertions, deletions, substitutions and swaps of neighbours between two texts. */
function editDistance(a: string, b: string): number {
  let twoBack: number[] = [];
  let back = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const differs = a[i - 1] === b[j - 1] ? 0 : 1;
      let edits = Math.min((back[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (back[j - 1] ?? 0) + differs);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        edits = Math.min(edits, (twoBack[j - 2] ?? 0) + 1);
      }
      row.push(edits);
    }
    twoBack = back;
    back = row;
  }
  return back[b.length] ?? 0;
}
