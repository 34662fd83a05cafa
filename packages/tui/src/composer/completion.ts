/** Completion: what can be completed at the cursor, and the list to choose from. Answers come later, and a late one is dropped by its ticket. */
import { unquoted } from "@yoi/base";
import type { SkillOffer } from "@yoi/protocol";
import { commandSuggestions } from "../commands/suggestions.ts";
import { lineStart } from "./cells.ts";
import { type Composer, edit } from "./composer.ts";
import type { Suggestion } from "./suggestion.ts";

/** `from` and `to` are what a choice replaces, as offsets in the composer's text. */
export type Completable = { readonly from: number; readonly to: number } &
  /** reference: behind `@`. shell: a word of a command for the shell. */
  (
    | { readonly kind: "path"; readonly as: "reference" | "shell"; readonly prefix: string }
    | { readonly kind: "command"; readonly prefix: string }
    /** `command`: as it is typed, without its sign. */
    | { readonly kind: "argument"; readonly command: string; readonly prefix: string }
  );

export interface Completion {
  readonly what: Completable;
  /** Of the last question. */
  readonly ticket: number;
  readonly items: readonly Suggestion[];
  /** Index in `items`. */
  readonly selected: number;
  /** By hand. */
  readonly isChosen: boolean;
  /** Closed by hand: it stays so until something else is to be completed. */
  readonly isClosed: boolean;
}

/**
 * Null: nothing. Behind `@` where that refers to a file, and behind the sign of a command that is all that is written.
 * @param isAsked by hand: words of a command for the shell too, where a list that came by itself would take the Enter that runs it.
 */
export function completableAt({ text, cursor }: Composer, isAsked = false): Completable | null {
  const before = text.slice(0, cursor);
  const command = /^[/:](\S*)$/.exec(before);
  if (command !== null) {
    const prefix = command[1] ?? "";
    return /^[\w-]*$/.test(prefix) ? { kind: "command", prefix, from: 0, to: cursor } : null;
  }
  const argument = /^[/:]([\w-]+)[ \t]+(\S*)$/.exec(before);
  if (argument !== null) {
    const [, name = "", prefix = ""] = argument;
    if (!prefix.startsWith("@"))
      return { kind: "argument", command: name, prefix, from: cursor - prefix.length, to: cursor };
  }
  const line = text.slice(lineStart(text, cursor), cursor);
  const quoted = /(?<=^|[\s\udc00-\udfff])@"((?:[^"\\\r\n]|\\["\\]|\\(?!["\\]))*)$/u.exec(line);
  if (quoted !== null) {
    const to = text[cursor] === '"' ? cursor + 1 : cursor;
    return {
      kind: "path",
      as: "reference",
      prefix: unquoted(quoted[1] ?? ""),
      from: cursor - quoted[0].length,
      to,
    };
  }
  const bare = /(?<=^|[\s\udc00-\udfff])@([^\s"]\S*|)$/u.exec(line);
  if (bare !== null)
    return {
      kind: "path",
      as: "reference",
      prefix: bare[1] ?? "",
      from: cursor - bare[0].length,
      to: cursor,
    };
  return isAsked && before.startsWith("!") ? shellWordBefore(line, cursor) : null;
}

/** A path is no longer than that. */
const wordCharsMax = 4_096;

/** Null where the shell would read more into it: a variable, or a word in quotation marks. */
function shellWordBefore(line: string, cursor: number): Completable | null {
  const [prefix = ""] = /[^\s!"$&'()*;<=>?[\\\]`{|}\udc00-\udfff]*$/u.exec(line.slice(-wordCharsMax)) ?? [];
  const rest = line.slice(0, line.length - prefix.length);
  const isQuoted = /["']/.test(rest.replaceAll(/"[^"]*"|'[^']*'/g, ""));
  if (isQuoted || /[$\\`"']$/.test(rest)) return null;
  return { kind: "path", as: "shell", prefix, from: cursor - prefix.length, to: cursor };
}

/**
 * After an edit. `ask`: what is to be completed is another thing, and its items are waited for under the ticket.
 * @param ticket one that was never used.
 * @param isAsked by hand.
 * @param skills those that can be loaded.
 */
export function refreshed(
  completion: Completion | null,
  composer: Composer,
  ticket: number,
  isAsked = false,
  skills: readonly SkillOffer[] = [],
): { readonly completion: Completion | null; readonly ask: boolean } {
  const word = shellWordAt(completion);
  const what = completableAt(composer, isAsked || word !== null);
  if (what === null || (!isAsked && isShell(what) && what.from !== word))
    return { completion: null, ask: false };
  if (completion !== null && isSame(completion.what, what))
    return { completion: { ...completion, what }, ask: false };
  const isOn = completion !== null && goesOn(completion.what, what);
  const isClosed = isOn && completion.isClosed;
  const next = { what, ticket, selected: 0, isChosen: false, isClosed };
  if (what.kind === "command")
    return {
      completion: { ...next, items: commandSuggestions(what.prefix, composer.text[0], skills) },
      ask: false,
    };
  // What is there is shown until the answer comes, as far as it still fits.
  const items = isOn ? completion.items.filter(({ label }) => label.startsWith(what.prefix)) : [];
  return { completion: { ...next, items }, ask: !isClosed };
}

function isShell(what: Completable): boolean {
  return what.kind === "path" && what.as === "shell";
}

/** Where the word begins that a list was asked for; it is completed on until another one begins. */
function shellWordAt(completion: Completion | null): number | null {
  return isOpen(completion) && isShell(completion.what) ? completion.what.from : null;
}

function isSame(a: Completable, b: Completable): boolean {
  return a.prefix === b.prefix && goesOn(a, b);
}

/** It began at the same place, so that a list that was closed there stays closed. */
function goesOn(a: Completable, b: Completable): boolean {
  if (a.kind !== b.kind || a.from !== b.from) return false;
  return a.kind !== "argument" || b.kind !== "argument" || a.command === b.command;
}

/** The items came; the answer to another question than the last one changes nothing. */
export function answered(
  completion: Completion | null,
  ticket: number,
  items: readonly Suggestion[],
): Completion | null {
  if (completion === null || completion.ticket !== ticket) return completion;
  return { ...completion, items, selected: 0, isChosen: false };
}

/** The list is shown, and its keys mean something. */
export function isOpen(completion: Completion | null): completion is Completion {
  return completion !== null && !completion.isClosed && completion.items.length > 0;
}

/** One down (1) or up (-1), around the ends. */
export function chosen(completion: Completion, step: -1 | 1): Completion {
  const { length } = completion.items;
  return length === 0
    ? completion
    : { ...completion, selected: (completion.selected + step + length) % length, isChosen: true };
}

export function closed(completion: Completion): Completion {
  return { ...completion, isClosed: true };
}

/** The selected item in place of what is typed; `refreshed` says then whether there is more to complete. */
export function accepted(completion: Completion, composer: Composer): Composer {
  const item = completion.items[completion.selected];
  if (item === undefined) return composer;
  const { from, to, kind } = completion.what;
  if (isShell(completion.what)) {
    const text = `${shellWord(item.insert)}${item.goesOn ? "" : " "}`;
    return edit(composer, { type: "replace", from, to, text });
  }
  if (kind === "path")
    return edit(composer, { type: "file_ref", from, to, path: item.insert, goesOn: item.goesOn });
  return edit(composer, { type: "replace", from, to, text: `${item.insert} ` });
}

/** As the shell reads it: one word. */
function shellWord(path: string): string {
  return /^[\w%+,./:@^-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/**
 * What Enter does while the list is shown. submit: what is typed is one of the items already, or nothing is chosen from. accept_and_submit: a command that is
 * whole with the item.
 */
export function enterMeans(completion: Completion | null): "submit" | "accept" | "accept_and_submit" {
  if (!isOpen(completion)) return "submit";
  const { items, what, isChosen, selected } = completion;
  if (!isChosen && items.some((item) => typedOf(item, what) === what.prefix)) return "submit";
  if (what.kind !== "command" || items[selected]?.goesOn !== false) return "accept";
  return isChosen || items.length === 1 ? "accept_and_submit" : "accept";
}

function typedOf({ insert }: Suggestion, { kind }: Completable): string {
  return kind === "command" ? insert.slice(1) : insert;
}
