/** History: what was sent before, newest last. Entries come back with their chips; what is written instead stays where it was. */
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

/** The entry at an index, or behind the newest what was being written. */
export function shownAt(composer: Composer, history: History, to: number): Composer {
  const at = composer.browsing?.at ?? history.length;
  const drafts = new Map(composer.browsing?.drafts).set(at, draftIn(composer));
  const wanted = drafts.get(to) ?? history[to];
  if (to < 0 || to > history.length || wanted === undefined) return composer;
  const { text, chips } = adopted(composer, wanted);
  const shown = spliced({ ...composer, chips }, { from: 0, to: composer.text.length, text });
  return { ...shown, browsing: to === history.length ? null : { at: to, drafts } };
}
