/** Search in the history: for entries that hold what is typed. */
import { previousCell } from "./cells.ts";
import { plainText } from "./chip.ts";
import { type History, shownAt } from "./history.ts";
import type { Composer } from "./state.ts";

export interface Search {
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

export function beginSearch(composer: Composer): Search {
  return { query: "", match: null, isFailed: false, before: composer };
}

export function searched(search: Search, history: History, step: SearchStep): Search {
  const { query, match } = search;
  const newest = history.length - 1;
  switch (step.type) {
    case "type": {
      const longer = query + plainText(step.text).replaceAll("\n", " ");
      return found({ ...search, query: longer }, history, { start: match ?? newest, by: -1 });
    }
    case "erase": {
      const shorter = query.slice(0, previousCell(query, query.length));
      return found({ ...search, query: shorter }, history, { start: newest, by: -1 });
    }
    case "older":
      return found(search, history, { start: (match ?? history.length) - 1, by: -1, but: match });
    case "newer":
      return found(search, history, { start: (match ?? history.length) + 1, by: 1, but: match });
  }
}

interface Way {
  readonly start: number;
  readonly by: -1 | 1;
  /** The same text as that entry's is not found again. */
  readonly but?: number | null;
}

/** The first entry on the way that holds the query; pastes that are chips are not looked into. */
function found(search: Search, history: History, { start, by, but = null }: Way): Search {
  const wanted = foldCase(search.query);
  if (wanted === "") return { ...search, match: null, isFailed: false };
  const shown = but === null ? null : history[but]?.text;
  for (let at = start; at >= 0 && at < history.length; at += by) {
    const text = history[at]?.text ?? "";
    if (text !== shown && foldCase(text).includes(wanted)) return { ...search, match: at, isFailed: false };
  }
  return { ...search, isFailed: true };
}

function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** The composer as the search shows it, and as it stays where the match is taken. */
export function searchShown({ match, before }: Search, history: History): Composer {
  return match === null ? before : shownAt(before, history, match);
}
