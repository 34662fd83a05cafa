/** Redactor: takes known values out of text, whole or in pieces. Pure. */
import { formsOf } from "./secret-forms.ts";

export interface KnownSecret {
  /** Stands where the value stood: the secret's id, or the name of its environment variable. */
  readonly id: string;
  readonly value: string;
}

export interface Redactor {
  /** Each form of each value as `[redacted: <id>]`; the same string when there is none. */
  text(text: string): string;
  /**
   * Where a text may be cut so that no value is in two pieces: what stands from there on may be the beginning of one. The end of the text
   * when it is none.
   */
  safeEnd(text: string): number;
}

export interface RedactorOptions {
  /** As `latin1` decodes the UTF-8 of a text: for bytes that need not be text. Default: as they are. */
  readonly ofBytes?: boolean;
}

interface Form {
  readonly form: string;
  readonly marker: string;
}

export function createRedactor(
  secrets: readonly KnownSecret[],
  { ofBytes = false }: RedactorOptions = {},
): Redactor {
  const forms: Form[] = secrets.flatMap(({ id, value }) =>
    formsOf(value).map((form) => ({
      form: ofBytes ? Buffer.from(form, "utf8").toString("latin1") : form,
      marker: `[redacted: ${id}]`,
    })),
  );
  // Of two that begin alike the longer one counts.
  forms.sort((a, b) => b.form.length - a.form.length);
  const markers = new Map(forms.toReversed().map(({ form, marker }) => [form, marker]));
  const pattern = new RegExp(forms.map(({ form }) => literal(form)).join("|"), "g");
  const isIn = (text: string): boolean => forms.some(({ form }) => text.includes(form));
  return {
    text: (text) => (isIn(text) ? text.replace(pattern, (form) => markers.get(form) ?? "[redacted]") : text),
    safeEnd: (text) => {
      const end = text.length - longestBeginning(forms, text);
      if (end === text.length || !isIn(text)) return end;
      // Never inside a value that is there whole.
      const over = [...text.matchAll(pattern)].find(
        (match) => match.index < end && match.index + match[0].length > end,
      );
      return over?.index ?? end;
    },
  };
}

/** How many characters at the end of the text are the beginning of a form, and less than all of it. */
function longestBeginning(forms: readonly Form[], text: string): number {
  let longest = 0;
  for (const { form } of forms) {
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

/** The pattern that matches just this text. */
function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
