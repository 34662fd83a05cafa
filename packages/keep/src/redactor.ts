/** Redactor: takes known values out of text, whole or in pieces. Pure. */
import { formsOf, fragmentLengthMin } from "./secret-forms.ts";

export interface KnownSecret {
  /** Stands where the value stood: the secret's id, or the name of its environment variable. */
  readonly id: string;
  readonly value: string;
}

export interface Redactor {
  /**
   * Each form of each value as `[redacted: <id>]`, and so what a cut left of one, if that has `fragmentLengthMin` characters; the same string
   * when there is none.
   */
  text(text: string): string;
  /**
   * The same for a text of which more will come: `waiting` is what may be the beginning of a value, and belongs before the next piece.
   */
  piece(text: string): { readonly passed: string; readonly waiting: string };
}

export interface RedactorOptions {
  /** As `latin1` decodes the UTF-8 of a text: for bytes that need not be text. Default: as they are. */
  readonly ofBytes?: boolean;
}

interface MarkedForm {
  readonly form: string;
  /** Where its own part begins. */
  readonly own: number;
  readonly marker: string;
}

/** What is searched for: the beginning or the end of a form's own part, or all of a short one. */
interface Needle extends MarkedForm {
  readonly text: string;
  /** Where the needle begins in its form. */
  readonly at: number;
}

/** Of a text: from, and up to but not with. */
interface Found {
  readonly from: number;
  readonly to: number;
  readonly marker: string;
}

/** What stands where the value of that name stood. */
export function markOf(id: string): string {
  return `[redacted: ${id}]`;
}

export function createRedactor(
  secrets: readonly KnownSecret[],
  { ofBytes = false }: RedactorOptions = {},
): Redactor {
  const forms = secrets.flatMap(({ id, value }) =>
    formsOf(value).map(({ text, own }) => ({
      form: ofBytes ? Buffer.from(text, "utf8").toString("latin1") : text,
      own,
      marker: markOf(id),
    })),
  );
  const needles = forms.flatMap(needlesOf);
  const beginnings = new Set(forms.flatMap(({ form, own }) => [form, form.slice(own)]));
  const found = (text: string): readonly Found[] =>
    needles.some((needle) => text.includes(needle.text)) ? findAll(needles, text) : [];
  return {
    text: (text) => replaceAll(text, found(text)),
    piece: (text) => {
      const all = found(text);
      const begun = text.length - longestBeginning(beginnings, text);
      // Never inside what is there whole.
      const end = all.find(({ from, to }) => from < begun && to > begun)?.from ?? begun;
      const passed = replaceAll(
        text.slice(0, end),
        all.filter(({ to }) => to <= end),
      );
      return { passed, waiting: text.slice(end) };
    },
  };
}

function needlesOf(marked: MarkedForm): Needle[] {
  const { form, own } = marked;
  const length = Math.min(form.length - own, fragmentLengthMin);
  const last = form.length - length;
  const head = { ...marked, text: form.slice(own, own + length), at: own };
  return last === own ? [head] : [head, { ...marked, text: form.slice(last), at: last }];
}

/** In order, none over another: of those that overlap the first one names them all. */
function findAll(needles: readonly Needle[], text: string): Found[] {
  const all = needles
    .flatMap((needle) => findOne(needle, text))
    .toSorted((a, b) => a.from - b.from || b.to - a.to);
  const merged: Found[] = [];
  for (const each of all) {
    const last = merged.at(-1);
    if (last !== undefined && each.from < last.to)
      merged[merged.length - 1] = { ...last, to: Math.max(last.to, each.to) };
    else merged.push(each);
  }
  return merged;
}

/** As much of the form as stands around the needle. */
function findOne({ text: needle, form, at, marker }: Needle, text: string): Found[] {
  const all: Found[] = [];
  for (let start = text.indexOf(needle); start !== -1;) {
    let [from, to] = [start, start + needle.length];
    while (from > 0 && start - from < at && text[from - 1] === form[at - (start - from) - 1]) from -= 1;
    while (to < text.length && to - start + at < form.length && text[to] === form[at + to - start]) to += 1;
    all.push({ from, to, marker });
    start = text.indexOf(needle, to);
  }
  return all;
}

function replaceAll(text: string, found: readonly Found[]): string {
  if (found.length === 0) return text;
  let rest = 0;
  const parts: string[] = [];
  for (const { from, to, marker } of found) {
    parts.push(text.slice(rest, from), marker);
    rest = to;
  }
  return parts.join("") + text.slice(rest);
}

/** How many characters at the end of the text are the beginning of a form, and less than all of it. */
function longestBeginning(forms: Iterable<string>, text: string): number {
  let longest = 0;
  for (const form of forms) {
    const first = form.charAt(0);
    const from = Math.max(0, text.length - form.length + 1);
    for (let at = text.indexOf(first, from); at !== -1; at = text.indexOf(first, at + 1)) {
      if (text.length - at <= longest) break;
      if (!form.startsWith(text.slice(at))) continue;
      longest = text.length - at;
      break;
    }
  }
  return longest;
}
