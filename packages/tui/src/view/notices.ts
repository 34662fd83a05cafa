/** Sentences above the composer: what happened, and what was sent and is not on record yet. */
import { flattenInput } from "@yoi/base";
import type { Addressee, Notice, UiState } from "../app/state.ts";
import type { Sendable } from "../app/effect.ts";
import { textOf } from "../composer/composer.ts";
import type { Line } from "./line.ts";
import { safeHead, safeLine } from "./safe.ts";
import type { ViewOptions } from "./theme.ts";
import { truncate, wrap } from "./width.ts";

/** What to do stands at the end of a sentence. */
const noticeRowsMax = 5;

/** The newest, as many as there is room for: an older one is left out whole, and the newest is cut at its end. */
export function noticeLines(
  notices: readonly Notice[],
  options: ViewOptions,
  rowsMax: number,
): readonly Line[] {
  let lines: readonly Line[] = [];
  for (const notice of notices.toReversed()) {
    const isNewest = lines.length === 0;
    const rows = noticeRows(notice, options, isNewest ? Math.min(noticeRowsMax, rowsMax) : noticeRowsMax);
    if (lines.length + rows.length > rowsMax) break;
    lines = [...rows, ...lines];
  }
  return lines;
}

function noticeRows(
  { level, text }: Notice,
  { columns, theme }: ViewOptions,
  rowsMax: number,
): readonly Line[] {
  const style = { info: theme.dim, warn: theme.warn, error: theme.bad }[level];
  const width = Math.max(1, columns - 2);
  const all = wrap(safeLine(text), width);
  const last = all[rowsMax - 1];
  const rows =
    all.length <= rowsMax || last === undefined
      ? all
      : [...all.slice(0, rowsMax - 1), truncate(`${last} …`, width)];
  return rows.map((row, at) => style(`${at === 0 ? "!" : " "} ${row}`));
}

export function sendingLines({ open, unsent }: UiState, { columns, theme }: ViewOptions): readonly Line[] {
  const waitsFor = (to: Addressee) =>
    `waits for ${"pod" in to ? to.pod : "the new Pod"} (Alt-Up takes it back)`;
  const waiting = unsent.map(({ to, composer }) => `${waitsFor(to)}: ${textOf(composer)}`);
  const sent = (open?.sending ?? []).map(
    ({ what, isOut }) => `${isOut ? "sending" : waitsFor({ pod: open?.name ?? "" })}: ${sendableText(what)}`,
  );
  return [...sent, ...waiting].map((text) => theme.dim(truncate(`~ ${safeHead(text, columns)}`, columns)));
}

function sendableText(what: Sendable): string {
  switch (what.as) {
    case "submit":
    case "queue":
      return flattenInput(what.parts);
    case "run_command":
      return `!${what.command}`;
    case "notify":
      return `#${what.message}`;
  }
}
