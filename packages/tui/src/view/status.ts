/** Status: the row that always says how the Pod is, what it works with and what it used. */
import { dollars } from "@yoi/base";
import type { PodSession } from "../session/session.ts";
import { pausedWords, tokensText } from "../session/notes.ts";

import type { Line } from "./line.ts";
import { safeLine } from "./safe.ts";
import type { Style, ViewOptions } from "./theme.ts";
import { waitText } from "./wait-text.ts";
import { truncate, widthOf } from "./width.ts";

export interface StatusOptions extends ViewOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Other Pods that need the user. */
  readonly needy: number;
}

interface Part {
  readonly text: string;
  /** Where there is no room for all of it. */
  readonly short: string;
  /** 1: rather than a second row. 2: rather than that something is left out. */
  readonly shortAt: 1 | 2;
  readonly style: Style;
  /** What has least is left out first. */
  readonly worth: number;
}

const rowsMax = 2;
const between = " · ";
/** Of the second row. */
const indent = "  ";
const usualMode = "allow-in-scope";
/** Percent of the window from which on it is shown as a warning. */
const fullPercent = 80;

/** What is tried in turn: in so many rows, with the texts short that may be by then. */
const fits = [
  { rows: 1, shortened: 0 },
  { rows: 1, shortened: 1 },
  { rows: 2, shortened: 0 },
  { rows: 2, shortened: 1 },
  { rows: rowsMax, shortened: 2 },
] as const;

/** One row, or two where one has no room for it. */
export function statusLines(session: PodSession, options: StatusOptions): readonly Line[] {
  const { columns, theme } = options;
  const parts = partsOf(session, options);
  for (const { rows, shortened } of fits) {
    const found = rowsOf(shortOf(parts, shortened), columns);
    if (found.length <= rows) return found.map((row, at) => styledRow(row, at, { columns, theme }));
  }
  let left = shortOf(parts, 2);
  while (left.length > 1 && rowsOf(left, columns).length > rowsMax) {
    const least = Math.min(...left.map(({ worth }) => worth));
    left = left.filter(({ worth }) => worth !== least);
  }
  return rowsOf(left, columns).map((row, at) => styledRow(row, at, { columns, theme }));
}

function shortOf(parts: readonly Part[], shortened: number): readonly Part[] {
  return parts.map((part) => (part.shortAt <= shortened ? { ...part, text: part.short } : part));
}

/** As many in a row as it has columns for. */
function rowsOf(parts: readonly Part[], columns: number): readonly (readonly Part[])[] {
  const rows: Part[][] = [];
  let used = 0;
  for (const part of parts) {
    const width = widthOf(part.text);
    const row = rows.at(-1);
    if (row !== undefined && used + between.length + width <= columns) {
      row.push(part);
      used += between.length + width;
    } else {
      used = (rows.length === 0 ? 0 : indent.length) + width;
      rows.push([part]);
    }
  }
  return rows;
}

function styledRow(parts: readonly Part[], at: number, { columns, theme }: ViewOptions): Line {
  const begin = at === 0 ? "" : indent;
  const text = parts.map((part) => part.style(part.text)).join(theme.dim(between));
  return truncate(begin + text, columns);
}

function partsOf(session: PodSession, { theme, now, needy }: StatusOptions): readonly Part[] {
  const { about, approvals, approvalsOmitted, context, spent, children, queue, queueHeld, waiting, title } =
    session;
  const parts: Part[] = [];
  const say = (worth: number, style: Style, text: string | null, short = text, shortAt: 1 | 2 = 1): void => {
    if (text !== null) parts.push({ worth, style, text, short: short ?? text, shortAt });
  };
  const { sign, text, short, style } = standing(session, now);
  say(100, theme[style], `${sign} ${text}`, `${sign} ${short ?? text}`, 2);
  say(95, theme.warn, asked(approvals.length + approvalsOmitted));
  say(
    94,
    theme.warn,
    needy === 0 ? null : needy === 1 ? "1 other Pod needs you" : `${needy} other Pods need you`,
  );
  const known = safeLine(session.name);
  say(60, theme.strong, title === null ? known : `${known} (${safeLine(title)})`, known);
  if (about !== null) {
    const model = safeLine(modelText(about.model));
    say(90, theme.accent, model, model.slice(model.indexOf("/") + 1));
    say(
      85,
      theme.warn,
      about.permission_mode === usualMode ? null : `mode ${safeLine(about.permission_mode)}`,
    );
    say(98, theme.bad, { on: null, off: "SANDBOX OFF", missing: "NO SANDBOX" }[about.sandbox]);
    say(30, theme.dim, writesText(about.writes, about.workspace));
    say(20, theme.dim, about.sandbox === "on" ? "sandbox on" : null);
    say(65, theme.warn, about.network ? "network on" : null);
  }
  if (context !== null) {
    const percent =
      context.window === null ? null : Math.round((100 * context.tokens) / Math.max(1, context.window));
    const isFull = percent !== null && percent >= fullPercent;
    say(
      80,
      isFull ? theme.warn : theme.dim,
      percent === null ? `context ${tokensText(context.tokens)}` : `context ${percent}%`,
    );
  }
  if (spent !== null) {
    const { usage, cost } = spent.tree;
    const tokens = usage.input_tokens + usage.output_tokens;
    // Of the first request nothing is known until it ends.
    if (tokens > 0 || cost.nano_usd > 0) {
      say(50, theme.dim, `${tokensText(tokens)} tokens`);
      say(75, theme.dim, costText(cost));
    }
  }
  say(
    72,
    queueHeld ? theme.warn : theme.accent,
    queue.length === 0 ? null : `${queue.length} ${queueHeld ? "held" : "queued"}`,
  );
  say(
    70,
    children.some(({ approvals: calls }) => calls > 0) ? theme.warn : theme.accent,
    childrenText(children),
  );
  say(40, theme.dim, waiting === 0 ? null : waiting === 1 ? "1 notice waits" : `${waiting} notices wait`);
  return parts;
}

/** A scenario is a file: its name tells enough. */
function modelText(model: string): string {
  return model.replace(/^scripted\/.*\//, "scripted/");
}

interface Standing {
  readonly sign: string;
  readonly text: string;
  readonly short?: string;
  readonly style: "bad" | "warn" | "good" | "accent" | "dim";
}

function standing(session: PodSession, now: number): Standing {
  const { link, why, state, retry, compaction, paused } = session;
  const because = why === null ? "" : `: ${safeLine(why)}`;
  if (link === "connecting") return { sign: "○", text: "connecting", style: "dim" };
  if (link === "lost")
    return {
      sign: "!",
      text: `connection lost, trying again${because}`,
      short: "connection lost, trying again",
      style: "bad",
    };
  if (link === "ended") return { sign: "!", text: `not connected${because}`, style: "bad" };
  if (link === "catching_up") return { sign: "○", text: "catching up", style: "dim" };
  if (compaction !== null)
    return { sign: "●", text: `compacting about ${tokensText(compaction.tokens)} tokens`, style: "accent" };
  if (retry !== null) {
    const { attempt, attemptsMax, at, message } = retry;
    const when = at === null ? "goes on" : `tries again ${waitText(at - now)}`;
    return {
      sign: "●",
      text: `${when} (${attempt} of ${attemptsMax}): ${safeLine(message)}`,
      short: `${when} (${attempt} of ${attemptsMax})`,
      style: "warn",
    };
  }
  switch (state) {
    case "idle":
      return { sign: "○", text: "ready", style: "good" };
    case "running":
      return { sign: "●", text: "working", style: "accent" };
    case "paused": {
      if (paused === null) return { sign: "‖", text: "paused", style: "warn" };
      const goesOn = paused.until === undefined ? "" : `, goes on ${waitText(paused.until - now)}`;
      return { sign: "‖", text: `${safeLine(pausedWords(paused.reason))}${goesOn}`, style: "warn" };
    }
  }
}

function asked(approvals: number): string | null {
  if (approvals === 0) return null;
  return approvals === 1 ? "1 call waits for you" : `${approvals} calls wait for you`;
}

const writesColumnsMax = 32;

/** The scope: what of the workspace it may write, and what elsewhere. */
function writesText(writes: string | undefined, workspace: string): string | null {
  if (writes === undefined) return null;
  if (writes === "reads only") return writes;
  const place = workspace.slice(workspace.lastIndexOf("/") + 1);
  const shown = writes.replace(/^\.(?=$|,)/, place === "" ? "/" : `${place}/`);
  return `writes ${truncate(safeLine(shown), writesColumnsMax)}`;
}

/** What is known of it: a `+` says that there is more which nobody knows. */
function costText({ nano_usd, unpriced_requests }: NonNullable<PodSession["spent"]>["cost"]): string {
  if (unpriced_requests === 0) return shortDollars(nano_usd);
  return nano_usd === 0 ? "cost not known" : `${shortDollars(nano_usd)}+`;
}

const centNanoUsd = 10_000_000;

/** Whole cents, where there are any: /usage has it to the end. */
function shortDollars(nanoUsd: number): string {
  return nanoUsd < centNanoUsd ? dollars(nanoUsd) : `$${(nanoUsd / (100 * centNanoUsd)).toFixed(2)}`;
}

function childrenText(children: PodSession["children"]): string | null {
  if (children.length === 0) return null;
  const working = children.filter(({ state }) => state === "running").length;
  const calls = children.reduce((sum, { approvals }) => sum + approvals, 0);
  const all = children.length === 1 ? "1 child" : `${children.length} children`;
  if (calls > 0) return `${all}: ${asked(calls)}`;
  return working === 0 ? all : `${all}, ${working} working`;
}
