/** The pager: pages of text, the help, and the whole conversation with what is older. */
import type { Cursor } from "@yoi/protocol";
import type { OlderSought, PagerDialog } from "../../dialogs/dialog.ts";
import {
  endPlace,
  foundFrom,
  isBehind,
  pagerRows,
  type Sections,
  scrolled,
  sectionsOf,
} from "../../dialogs/pager.ts";
import type { InputEvent, KeyEvent } from "../../keys/key-event.ts";
import { actionOf } from "../../keys/key-map.ts";
import type { PodSession } from "../../session/session.ts";
import type { PlacedEntry } from "../event.ts";
import type { UiState } from "../state.ts";
import { changeDialog, closeDialog, openDialog, type Step, step } from "../step.ts";

/** How many entries are read at once of what is older: for a look, and on the way to something. */
const olderCount = 400;
const soughtCount = 2_000;
/** So many are read on the way, before a person is asked to go on. */
export const soughtEntriesMax = 20_000;

export function showPager(state: UiState, title: string, source: PagerDialog["source"]): UiState {
  const atStart = source.of !== "transcript";
  return openDialog(state, {
    kind: "pager",
    title,
    source,
    top: atStart ? { section: 0, row: 0 } : null,
    search: null,
  });
}

export function showTranscript(state: UiState): Step {
  const name = state.open?.name ?? "";
  return step(
    showPager(state, `Transcript of ${name}`, {
      of: "transcript",
      older: [],
      isAsking: false,
      isAll: false,
      seeks: null,
    }),
  );
}

export function pagerTyped(state: UiState, dialog: PagerDialog, input: InputEvent): Step {
  if (dialog.search?.isTyping === true) return typesQuery(state, dialog, input);
  if (input.type === "paste") return step(state);
  return keyPressed(state, seekingNothing(dialog), input);
}

/** Who does something else waits no longer for what was sought. */
function seekingNothing(dialog: PagerDialog): PagerDialog {
  const { source } = dialog;
  if (source.of !== "transcript" || source.seeks === null) return dialog;
  return { ...dialog, source: { ...source, seeks: null } };
}

function keyPressed(state: UiState, dialog: PagerDialog, input: KeyEvent): Step {
  const sections = sectionsOf(dialog, state);
  const page = pagerRows(state.size.rows);
  const end = endPlace(sections, page);
  const top = dialog.top === null || isBehind(dialog.top, end) ? end : dialog.top;
  const go = (by: number): Step => {
    const to = scrolled(sections, top, by, page);
    const next = changeDialog(state, {
      ...dialog,
      top: by > 0 && !isBehind(end, to) ? atEnd(dialog, to) : to,
    });
    return by < 0 && to.section === 0 && to.row === 0 ? asksOlder(next, null) : step(next);
  };
  switch (actionOf(state.keys, "pager", input)) {
    case "pager_up":
      return go(-1);
    case "pager_down":
      return go(1);
    case "pager_page_up":
      return go(1 - page);
    case "pager_page_down":
      return go(page - 1);
    case "pager_top":
      return asksOlder(changeDialog(state, { ...dialog, top: { section: 0, row: 0 } }), "beginning");
    case "pager_bottom":
      return step(changeDialog(state, { ...dialog, top: atEnd(dialog, end) }));
    case "pager_search":
      return step(
        changeDialog(state, { ...dialog, top, search: { query: "", isTyping: true, isFound: true } }),
      );
    case "pager_next":
      return findsOrReads(state, { ...dialog, top }, sections, 1);
    case "pager_previous":
      return findsOrReads(state, { ...dialog, top }, sections, -1);
    case "pager_close":
    case "cancel":
      return step(closeDialog(state));
    default:
      return step(state);
  }
}

/** A conversation is followed from its end. */
function atEnd({ source }: PagerDialog, end: NonNullable<PagerDialog["top"]>): PagerDialog["top"] {
  return source.of === "transcript" ? null : end;
}

function typesQuery(state: UiState, dialog: PagerDialog, input: InputEvent): Step {
  const query = dialog.search?.query ?? "";
  const change = (search: PagerDialog["search"]) => step(changeDialog(state, { ...dialog, search }));
  const typed = (text: string) =>
    change({ query: query + text.replace(/\s+/g, " "), isTyping: true, isFound: true });
  if (input.type === "paste") return typed(input.text);
  const action = actionOf(state.keys, "list", input);
  switch (action) {
    case "list_choose": {
      const next = { ...dialog, search: { query, isTyping: false, isFound: true } };
      return findsOrReads(state, next, sectionsOf(dialog, state), 1);
    }
    case "list_close":
    case "cancel":
      return change(null);
    case "list_erase":
      return query === ""
        ? change(null)
        : change({ query: [...query].slice(0, -1).join(""), isTyping: true, isFound: true });
    default:
      return input.text === null ? step(state) : typed(input.text);
  }
}

/** The next match is the first row that is shown; from the end it goes on at the beginning. */
function finds(state: UiState, dialog: PagerDialog, sections: Sections, by: 1 | -1): UiState {
  const { search } = dialog;
  if (search === null) return changeDialog(state, dialog);
  const from = dialog.top ?? endPlace(sections, 1);
  const start =
    by === 1 ? { section: 0, row: -1 } : { section: sections.count - 1, row: Number.MAX_SAFE_INTEGER };
  const place =
    foundFrom(sections, from, search.query, by) ??
    foundFrom(sections, by === 1 ? start : lastRowBehind(sections), search.query, by);
  return changeDialog(state, {
    ...dialog,
    top: place ?? dialog.top,
    search: { ...search, isFound: place !== null },
  });
}

/** What is not found may be older. */
function findsOrReads(state: UiState, dialog: PagerDialog, sections: Sections, by: 1 | -1): Step {
  const found = finds(state, dialog, sections, by);
  const top = found.dialogs.at(-1);
  return top?.kind === "pager" && top.search?.isFound === false ? asksOlder(found, "match") : step(found);
}

function lastRowBehind({ count, linesAt }: Sections) {
  const section = Math.max(0, count - 1);
  return { section, row: linesAt(section).length };
}

function asksOlder(state: UiState, sought: OlderSought["for"] | null): Step {
  const dialog = state.dialogs.at(-1);
  if (dialog?.kind !== "pager" || dialog.source.of !== "transcript") return step(state);
  const seeks = sought === null ? null : { for: sought, left: soughtEntriesMax };
  return readsOlder(changeDialog(state, { ...dialog, source: { ...dialog.source, seeks } }));
}

function readsOlder(state: UiState): Step {
  const dialog = state.dialogs.at(-1);
  const { open } = state;
  if (dialog?.kind !== "pager" || dialog.source.of !== "transcript" || open === null) return step(state);
  const { source } = dialog;
  const place = source.older[0]?.at ?? shownFrom(open.session);
  if (source.isAsking || source.isAll || place === null) return step(state);
  return step(changeDialog(state, { ...dialog, source: { ...source, isAsking: true } }), {
    type: "older",
    name: open.name,
    place,
    count: countOf(source.seeks),
  });
}

/** Before it is what is older. Of what the session itself has let go the place is not known: then it is looked for from the end. */
function shownFrom({ blocks, first, cursor }: PodSession): Cursor | null {
  const isWhole = (blocks[0]?.n ?? 0) === 0;
  return isWhole || cursor === null ? first : { ...cursor, seq: cursor.seq + 1 };
}

function countOf(seeks: OlderSought | null): number {
  return seeks === null ? olderCount : soughtCount;
}

/** What is seen stays where it is, but for what was sought. */
export function olderCame(state: UiState, name: string, entries: readonly PlacedEntry[]): Step {
  const dialog = state.dialogs.at(-1);
  if (state.open?.name !== name || dialog?.kind !== "pager" || dialog.source.of !== "transcript")
    return step(olderDropped(state));
  const { source } = dialog;
  const older = [...entries, ...source.older];
  const left = (source.seeks?.left ?? 0) - entries.length;
  const seeks = source.seeks === null || left <= 0 ? null : { ...source.seeks, left };
  const isAll = entries.length === 0;
  const next: PagerDialog = { ...dialog, source: { ...source, older, isAsking: false, isAll, seeks } };
  const sections = sectionsOf(next, state);
  const added = sections.count - sectionsOf(dialog, state).count;
  const top = dialog.top === null ? null : { ...dialog.top, section: dialog.top.section + added };
  const shown = changeDialog(state, { ...next, top });
  switch (source.seeks?.for) {
    case undefined:
      return step(shown);
    case "beginning":
      return readsOn(changeDialog(state, { ...next, top: { section: 0, row: 0 } }));
    case "match": {
      const { search } = dialog;
      const place = foundFrom(sections, { section: added, row: 0 }, search?.query ?? "", -1);
      if (search === null || place === null) return readsOn(shown);
      return step(
        changeDialog(shown, { ...seekingNothing(next), top: place, search: { ...search, isFound: true } }),
      );
    }
  }
}

/** Until it is there, or so many were read. */
function readsOn(state: UiState): Step {
  const dialog = state.dialogs.at(-1);
  if (dialog?.kind !== "pager" || dialog.source.of !== "transcript" || dialog.source.seeks === null)
    return step(state);
  return dialog.source.isAll ? step(changeDialog(state, seekingNothing(dialog))) : readsOlder(state);
}

/** They are of what is not shown on top any more: it asks again. */
function olderDropped(state: UiState): UiState {
  const dialogs = state.dialogs.map((dialog) =>
    dialog.kind === "pager" && dialog.source.of === "transcript"
      ? { ...dialog, source: { ...dialog.source, isAsking: false } }
      : dialog,
  );
  return { ...state, dialogs };
}
