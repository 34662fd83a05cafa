/** Likeness: how well a path fits what was typed of it. */

/** Most characters that are compared: a longer text is like nothing. */
const comparedCharsMax = 4_096;

/**
 * 0 best; null: it does not fit at all. First what stands together in the last component, then in the path, then characters in that order with others between them; the shorter
 * before the longer of a kind. Case counts for nothing.
 */
export function likeness(path: string, typed: string): number | null {
  if (typed === "") return 0;
  if (path.length > comparedCharsMax || typed.length > path.length) return null;
  const [whole, wanted] = [path.toLowerCase(), typed.toLowerCase()];
  const name = whole.slice(whole.lastIndexOf("/") + 1);
  const longer = path.length / (comparedCharsMax + 1);
  if (name.startsWith(wanted)) return longer;
  if (name.includes(wanted)) return 1 + longer;
  if (whole.includes(wanted)) return 2 + longer;
  if (holdsInOrder(name, wanted)) return 3 + longer;
  return holdsInOrder(whole, wanted) ? 4 + longer : null;
}

function holdsInOrder(text: string, wanted: string): boolean {
  let at = 0;
  for (const character of wanted) {
    at = text.indexOf(character, at);
    if (at === -1) return false;
    at += character.length;
  }
  return true;
}
