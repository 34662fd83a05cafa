/** History: what was sent before, newest last. Entries come back with their chips; what is written instead stays where it was. */
import { previousCell } from "./cells.ts";
import { plainText } from "./chip.ts";
import { adopted, type Composer, type Draft, draftIn, draftOf, spliced, textOf } from "./state.ts";

export type History = readonly Draft[];

export const historyEntriesMax = 1_000;

/** @param texts oldest first, as they were kept. */
export function historyOf(texts: readonly string[]): History {
  return texts.slice(-historyEntriesMax).map(draftOf);
}

/** With what is sent now; the same one again is not another entry, and blank text is none. */
export function remembered(history: History, composer: Composer): History {
  const entry = draftIn(composer);
  const text = textOf(entry);
  const last = history.at(-1);
  if (text.trim() === "" || (last !== undefined && textOf(last) === text)) return history;
  return [...history.slice(1 - historyEntriesMax), entry];
}

/** One entry older (-1) or newer (1); behind the newest is what was being written. The same where there is none. */
export function recalled(composer: Composer, history: History, step: -1 | 1): Composer {
  return shownAt(composer, history, (composer.browsing?.at ?? history.length) + step);
}

function shownAt(composer: Composer, history: History, to: number): Composer {
  const at = composer.browsing?.at ?? history.length;
  const drafts = new Map(composer.browsing?.drafts).set(at, draftIn(composer));
  const wanted = drafts.get(to) ?? history[to];
  if (to < 0 || to > history.length || wanted === undefined) return composer;
  const { text, chips } = adopted(composer, wanted);
  const shown = spliced({ ...composer, chips }, { from: 0, to: composer.text.length, text });
  return { ...shown, browsing: to === history.length ? null : { at: to, drafts } };
}

/** A search for entries that hold what is typed. */
export interface HistorySearch {
  readonly query: string;
  /** Index of the entry that was found; null: none was. */
  readonly match: number | null;
  /** None, or no other one, holds what is asked for: the last that was found is shown. */
  readonly isFailed: boolean;
  /** What was written before, which comes back where the search is given up. */
  readonly before: Composer;
}

export type SearchStep =
  | { readonly type: "type"; readonly text: string }
  | { readonly type: "erase" }
  | { readonly type: "older" }
  | { readonly type: "newer" };

export function beginSearch(composer: Composer): HistorySearch {
  return { query: "", match: null, isFailed: false, before: composer };
}

export function searched(search: HistorySearch, history: History, step: SearchStep): HistorySearch {
  switch (step.type) {
    case "type": {
      const query = search.query + plainText(step.text).replaceAll("\n", " ");
      return found({ ...search, query }, history, search.match ?? history.length - 1, -1);
    }
    case "erase": {
      const query = search.query.slice(0, previousCell(search.query, search.query.length));
      return found({ ...search, query }, history, history.length - 1, -1);
    }
    case "older":
      return found(search, history, (search.match ?? history.length) - 1, -1);
    case "newer":
      return found(search, history, (search.match ?? history.length) + 1, 1);
  }
}

/** The first entry from `start` on that holds the query and is not what is shown already. */
function found(search: HistorySearch, history: History, start: number, step: -1 | 1): HistorySearch {
  const wanted = foldCase(search.query);
  if (wanted === "") return { ...search, match: null, isFailed: false };
  const shown = search.match === null || start === search.match ? null : history[search.match]?.text;
  for (let at = start; at >= 0 && at < history.length; at += step) {
    const text = history[at]?.text ?? "";
    if (text !== shown && foldCase(text).includes(wanted)) return { ...search, match: at, isFailed: false };
  }
  return { ...search, isFailed: true };
}

function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** The composer as the search shows it, and as it stays where the match is taken. */
export function searchShown({ match, before }: HistorySearch, history: History): Composer {
  return match === null ? before : shownAt(before, history, match);
}
