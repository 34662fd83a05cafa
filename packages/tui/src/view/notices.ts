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

export function noticeLines(notices: readonly Notice[], { columns, theme }: ViewOptions): readonly Line[] {
  return notices.flatMap(({ level, text }) => {
    const style = { info: theme.dim, warn: theme.warn, error: theme.bad }[level];
    const all = wrap(safeLine(text), Math.max(1, columns - 2));
    const last = all[noticeRowsMax - 1];
    const rows =
      all.length <= noticeRowsMax || last === undefined
        ? all
        : [...all.slice(0, noticeRowsMax - 1), truncate(`${last} …`, Math.max(1, columns - 2))];
    return rows.map((row, at) => style(`${at === 0 ? "!" : " "} ${row}`));
  });
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
