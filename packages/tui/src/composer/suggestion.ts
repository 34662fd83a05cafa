/** Suggestion: what something that is being typed may become. */
import type { CompletePathResult } from "@yoi/protocol";

export interface Suggestion {
  /** The path, the word, or the command with its sign. */
  readonly insert: string;
  /** What the list shows, not escaped, and what it says of it; "": nothing. */
  readonly label: string;
  readonly detail: string;
  /** It is not whole yet: behind a directory comes what is in it. */
  readonly goesOn: boolean;
}

/** Of an answer to `complete_path`. */
export function pathSuggestions({ entries }: CompletePathResult): readonly Suggestion[] {
  return entries.map(({ path, kind }) => ({
    insert: path,
    label: path,
    detail: "",
    goesOn: kind === "directory",
  }));
}

/** Of words that an argument may be, such as names of Pods: those that begin as it is typed, then those that hold it. */
export function wordSuggestions(
  prefix: string,
  words: readonly { readonly word: string; readonly detail: string }[],
): readonly Suggestion[] {
  const wanted = prefix.toLowerCase();
  const place = (word: string): number => word.toLowerCase().indexOf(wanted);
  const rank = (word: string): number => (place(word) === 0 ? 0 : 1);
  return words
    .filter(({ word }) => place(word) !== -1)
    .toSorted((a, b) => rank(a.word) - rank(b.word))
    .map(({ word, detail }) => ({ insert: word, label: word, detail, goesOn: false }));
}
