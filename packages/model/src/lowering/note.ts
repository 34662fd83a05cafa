/** The note: how a system item is shown to a model that has no role for it, and why no other text can pass for one. */
import type { SystemItem } from "@yoi/base";

/**
 * A `<` that opens or closes a `yoi-note` tag in any spelling that a reader would take for one: any case, white space or invisible
 * characters between, any dash.
 */
const noteTag =
  /<(?=[\s\p{Cf}/]*y\p{Cf}*o\p{Cf}*i[\s\p{Cf}]*[-_\u2010-\u2015\u2212][\s\p{Cf}]*n\p{Cf}*o\p{Cf}*t\p{Cf}*e)/giu;

/** `text` with every `yoi-note` tag in it made plain text. Anything that the host did not write itself goes through here. */
export function escapeNotes(text: string): string {
  return text.includes("<") ? text.replace(noteTag, "&lt;") : text;
}

const attributeEscapes: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

function attribute(value: string): string {
  return value.replace(/[&<>"]/g, (c) => attributeEscapes[c] ?? c).replace(/\s+/g, " ");
}

/** A system item as text. The body is escaped too: it may quote a file or another Pod. */
export function wrapNote(seq: number, item: SystemItem): string {
  const head = `<yoi-note id="${seq}" kind="${attribute(item.kind)}" source="${attribute(item.source)}">`;
  return `${head}\n${escapeNotes(item.body)}\n</yoi-note>`;
}
