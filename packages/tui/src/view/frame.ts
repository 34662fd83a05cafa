/** frameOf: the whole screen from the state: what goes into the scrollback now, and the live region below it. */
import type { UiState } from "../app/state.ts";
import { topDialog } from "../app/step.ts";
import { lookingForModel, needyPods } from "../app/state.ts";
import { isBlank } from "../composer/composer.ts";
import type { Dialog } from "../dialogs/dialog.ts";
import { keysOf } from "../keys/key-map.ts";
import type { CursorPlace, Frame, Line } from "./line.ts";
import { composerArea } from "./composer-area.ts";
import { dialogLines } from "./dialog/dialog-lines.ts";
import { noticeLines, sendingLines } from "./notices.ts";
import { panelLines } from "./panel.ts";
import { headerLines, hasGap, print, type Printed } from "./printed.ts";
import { queueLines } from "./queue.ts";
import { statusLines } from "./status.ts";
import { truncate } from "./width.ts";

export type Shown =
  | { readonly screen: "main"; readonly frame: Frame; readonly printed: Printed }
  | {
      readonly screen: "alternate";
      readonly lines: readonly Line[];
      readonly cursor: CursorPlace | null;
      readonly printed: Printed;
    };

/** Dialogs that need the room, so that nothing of the conversation is pushed away for them. */
const wholeScreen: ReadonlySet<Dialog["kind"]> = new Set(["pager", "pods", "tree"]);
/** Panels are left out on screens that have fewer rows. */
const panelScreenRowsMin = 16;
/** The line above what is typed is left out on screens that have fewer rows. */
export const ruleScreenRowsMin = 12;
/** So is the blank row above panels and what stands with them. */
const gapScreenRowsMin = 20;

export function shownOf(state: UiState, printed: Printed): Shown {
  const dialog = topDialog(state);
  const { rows } = state.size;
  // What is asked on the second screen is answered there.
  if (dialog !== null && state.dialogs.some(({ kind }) => wholeScreen.has(kind))) {
    const options = { columns: state.size.columns, theme: state.look.theme };
    const notices = noticeLines(state.notices, options, Math.floor(rows / 4));
    const status = [...notices, ...statusOf(state)];
    const area = dialogLines(dialog, state, rows - status.length);
    return { screen: "alternate", ...padded(area, rows - status.length, status), printed };
  }
  if (state.settings.screen === "alternate") {
    const { lines, cursor } = alternateOf(state);
    return { screen: "alternate", lines, cursor, printed };
  }
  return { screen: "main", ...frameOf(state, printed) };
}

/** The live region is never higher than the screen less one row, and ends with what is typed in and the status. */
export function frameOf(
  state: UiState,
  printed: Printed,
): { readonly frame: Frame; readonly printed: Printed } {
  const height = Math.max(1, state.size.rows - 1);
  const bottom = bottomOf(state, height);
  const room = height - bottom.lines.length;
  const printing = printingOf(state, printed, room);
  const shown = lastOf(liveLines(state, printing.live, printing.printed), room);
  const live = [...shown, ...bottom.lines];
  const cursor = bottom.cursor === null ? null : { ...bottom.cursor, row: bottom.cursor.row + shown.length };
  return { frame: { print: printing.lines, live, cursor }, printed: printing.printed };
}

function printingOf(state: UiState, printed: Printed, room: number) {
  const { open, look, size, isVerbose } = state;
  if (open === null) return { printed, lines: [], live: [] };
  const header = headerLines(open.session, look, size.columns);
  const pastKey = keysOf(state.keys, "transcript")[0] ?? "/transcript";
  const { viewing } = open;
  return print(printed, open.session, { look, size, isVerbose, room, header, pastKey, viewing });
}

function liveLines(
  { look, size, isVerbose }: UiState,
  blocks: ReturnType<typeof print>["live"],
  { lastKind, part }: Printed,
): readonly Line[] {
  const lines: Line[] = [];
  let before = lastKind;
  for (const block of blocks) {
    const goesOn = part !== null && part.id === block.id;
    if (!goesOn && hasGap(before, block.kind)) lines.push("");
    for (const line of look.linesOf(block, size.columns, isVerbose)) lines.push(line);
    before = block.kind;
  }
  return lines;
}

/** All on one screen, for those who want it so: the end of the conversation above what is typed in. */
function alternateOf(state: UiState) {
  const { rows, columns } = state.size;
  const bottom = bottomOf(state, rows);
  const room = rows - bottom.lines.length;
  let tail: readonly Line[] = [];
  const blocks = state.open?.session.blocks ?? [];
  for (let at = blocks.length - 1; at >= 0 && tail.length < room; at -= 1) {
    const block = blocks[at];
    if (block === undefined) break;
    const gap = hasGap(blocks[at - 1]?.kind ?? null, block.kind) ? [""] : [];
    tail = [...gap, ...lastOf(state.look.linesOf(block, columns, state.isVerbose), room), ...tail];
  }
  const above = lastOf(tail, room);
  const blank = Math.max(0, room - above.length);
  const lines = [...above, ...Array.from({ length: blank }, () => ""), ...bottom.lines];
  const cursor =
    bottom.cursor === null ? null : { ...bottom.cursor, row: bottom.cursor.row + above.length + blank };
  return { lines, cursor };
}

interface Area {
  readonly lines: readonly Line[];
  readonly cursor: CursorPlace | null;
}

function statusOf(state: UiState): readonly Line[] {
  const { open, look, size, now } = state;
  const needy = needyPods(state).length;
  if (open === null) {
    const waitingFor = state.looksForModel ? lookingForModel : state.waitingFor?.text;
    const text = `yoi ${state.version}: ${waitingFor ?? "no Pod is open: what you send starts one"}`;
    return [look.theme.dim(truncate(text, size.columns))];
  }
  return statusLines(open.session, { columns: size.columns, theme: look.theme, now, needy });
}

/** Panel, queue, notices, composer or dialog, status: what has least worth is left out where it gets too high. */
function bottomOf(state: UiState, height: number): Area {
  const { open, look, size } = state;
  const options = { columns: size.columns, theme: look.theme };
  const status = statusOf(state).slice(0, Math.max(1, height - 2));
  // A composer that the first run takes the place of at once would only flash.
  if (state.looksForModel && topDialog(state) === null && isBlank(state.composer))
    return { lines: status, cursor: null };
  const rule = ruleOf(state);
  const input = inputArea(state, height - status.length - rule.length);
  let left = height - status.length - rule.length - input.lines.length;
  const take = (lines: readonly Line[], rowsMax: number): readonly Line[] => {
    const taken = lastOf(lines, Math.min(rowsMax, left));
    left -= taken.length;
    return taken;
  };
  const share = Math.max(1, Math.floor(height / 4));
  const notices = take(noticeLines(state.notices, options, Math.min(share, left)), share);
  const sending = take(sendingLines(state, options), share);
  const queue = take(open === null ? [] : queueLines(open.session, options), share);
  const panelRows = height < panelScreenRowsMin || !state.showsPanels ? 0 : share;
  const panels =
    open === null || panelRows === 0
      ? []
      : take(panelLines(open.session.panels, { ...options, rowsMax: panelRows }), panelRows);
  const said = [...panels, ...queue, ...sending, ...notices];
  const gap = said.length > 0 && left > 0 && size.rows >= gapScreenRowsMin ? [""] : [];
  const above = [...gap, ...said, ...rule];
  const cursor = input.cursor === null ? null : { ...input.cursor, row: input.cursor.row + above.length };
  return { lines: [...above, ...input.lines, ...status], cursor };
}

/** Between the conversation and what is typed; dialogs have a title there. */
function ruleOf({ dialogs, size, look }: UiState): readonly Line[] {
  if (dialogs.length > 0 || size.rows < ruleScreenRowsMin) return [];
  return [look.theme.rule("─".repeat(size.columns))];
}

function inputArea(state: UiState, rowsMax: number): Area {
  const dialog = topDialog(state);
  if (dialog === null) return composerArea(state, Math.max(1, Math.min(rowsMax, Math.ceil(rowsMax / 2))));
  const area = dialogLines(dialog, state, rowsMax);
  return { lines: area.lines.slice(0, Math.max(1, rowsMax)), cursor: area.cursor };
}

function lastOf(lines: readonly Line[], count: number): readonly Line[] {
  return count <= 0 ? [] : lines.slice(-count);
}

/** The status at the last rows of the screen. */
function padded(area: Area, rows: number, status: readonly Line[]): Area {
  const lines = area.lines.slice(0, Math.max(0, rows));
  const blank = Array.from({ length: Math.max(0, rows - lines.length) }, () => "");
  return { lines: [...lines, ...blank, ...status], cursor: area.cursor };
}
