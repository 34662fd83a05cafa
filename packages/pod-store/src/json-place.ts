/** Where in the text of a JSON document the value at a path stands: the place that an error about a wrong field names. */

/** Keys and indices from the root to a value. */
export type JsonPath = readonly (string | number)[];

/** As `children[0].loan.id`. */
export function pathText(path: JsonPath): string {
  return path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .replace(/^\./, "");
}

/**
 * The index (UTF-16) in `source` of the key, or the element, that `path` leads to; where it leads nowhere, that of the innermost value on the way.
 * @param source what `JSON.parse` took
 */
export function jsonPlaceIndex(source: string, path: JsonPath): number {
  let place = skipSpace(source, 0);
  let value = place;
  for (const step of path) {
    // Of a key that stands there twice JSON.parse takes the last.
    const found = partsOf(source, value).findLast((part) => part.step === step);
    if (found === undefined) break;
    ({ place, value } = found);
  }
  return place;
}

interface Part {
  readonly step: string | number;
  /** Where its key, or it itself as an element, begins. */
  readonly place: number;
  readonly value: number;
}

/** The members of the object or the elements of the array that begins at `start`; of anything else none. */
function partsOf(source: string, start: number): readonly Part[] {
  const isObject = source[start] === "{";
  if (!isObject && source[start] !== "[") return [];
  const parts: Part[] = [];
  let at = skipSpace(source, start + 1);
  while (source[at] !== "}" && source[at] !== "]") {
    const place = at;
    let step: string | number = parts.length;
    if (isObject) {
      const end = endOfText(source, at);
      step = JSON.parse(source.slice(at, end)) as string;
      at = skipSpace(source, skipSpace(source, end) + 1);
    }
    parts.push({ step, place, value: at });
    at = skipSpace(source, endOfValue(source, at));
    if (source[at] === ",") at = skipSpace(source, at + 1);
  }
  return parts;
}

function endOfValue(source: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const c = source[at];
    if (c === '"') {
      at = endOfText(source, at);
      continue;
    }
    if (c === "{" || c === "[") depth += 1;
    if (c === "}" || c === "]") depth -= 1;
    at += 1;
    // Outside of brackets only a number or a word goes on.
    if (depth === 0 && c !== "}" && c !== "]") while (/[^\s,\]}]/.test(source[at] ?? ",")) at += 1;
  } while (depth > 0);
  return at;
}

function endOfText(source: string, start: number): number {
  let at = start + 1;
  while (source[at] !== '"') at += source[at] === "\\" ? 2 : 1;
  return at + 1;
}

function skipSpace(source: string, start: number): number {
  let at = start;
  while (/[ \t\n\r]/.test(source[at] ?? "")) at += 1;
  return at;
}
