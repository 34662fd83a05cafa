/** The pager: pages of text, the help, and the whole conversation with what is older. */
import type { PagerDialog } from "../../dialogs/dialog.ts";
import {
  endPlace,
  foundFrom,
  isBehind,
  pagerRows,
  type Sections,
  scrolled,
  sectionsOf,
} from "../../dialogs/pager.ts";
import type { InputEvent } from "../../keys/key-event.ts";
import { actionOf } from "../../keys/key-map.ts";
import type { PlacedEntry } from "../event.ts";
import type { UiState } from "../state.ts";
import { changeDialog, closeDialog, openDialog, type Step, step } from "../step.ts";

/** How many entries are read at once of what is older. */
const olderCount = 400;

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
    showPager(state, `Transcript of ${name}`, { of: "transcript", older: [], isAsking: false, isAll: false }),
  );
}

export function pagerTyped(state: UiState, dialog: PagerDialog, input: InputEvent): Step {
  if (dialog.search?.isTyping === true) return typesQuery(state, dialog, input);
  if (input.type === "paste") return step(state);
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
    return by < 0 && to.section === 0 && to.row === 0 ? asksOlder(next) : step(next);
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
      return asksOlder(changeDialog(state, { ...dialog, top: { section: 0, row: 0 } }));
    case "pager_bottom":
      return step(changeDialog(state, { ...dialog, top: atEnd(dialog, end) }));
    case "pager_search":
      return step(
        changeDialog(state, { ...dialog, top, search: { query: "", isTyping: true, isFound: true } }),
      );
    case "pager_next":
      return step(finds(state, { ...dialog, top }, sections, 1));
    case "pager_previous":
      return step(finds(state, { ...dialog, top }, sections, -1));
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
      return step(finds(state, next, sectionsOf(dialog, state), 1));
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

function lastRowBehind({ count, linesAt }: Sections) {
  const section = Math.max(0, count - 1);
  return { section, row: linesAt(section).length };
}

function asksOlder(state: UiState): Step {
  const dialog = state.dialogs.at(-1);
  const { open } = state;
  if (dialog?.kind !== "pager" || dialog.source.of !== "transcript" || open === null) return step(state);
  const { source } = dialog;
  const place = source.older[0]?.at ?? open.first;
  if (source.isAsking || source.isAll || place === null) return step(state);
  return step(changeDialog(state, { ...dialog, source: { ...source, isAsking: true } }), {
    type: "older",
    name: open.name,
    place,
    count: olderCount,
  });
}

/** What is seen stays where it is. */
export function olderCame(state: UiState, name: string, entries: readonly PlacedEntry[]): UiState {
  if (state.open?.name !== name) return state;
  const dialogs = state.dialogs.map((dialog) => {
    if (dialog.kind !== "pager" || dialog.source.of !== "transcript") return dialog;
    const { source } = dialog;
    const older = [...entries, ...source.older];
    const next: PagerDialog = {
      ...dialog,
      source: { of: "transcript", older, isAsking: false, isAll: entries.length === 0 },
    };
    if (dialog.top === null) return next;
    const added = sectionsOf(next, state).count - sectionsOf(dialog, state).count;
    return { ...next, top: { ...dialog.top, section: dialog.top.section + added } };
  });
  return { ...state, dialogs };
}
