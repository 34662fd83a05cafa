/** The note: how a system item is shown to a model that has no role for it, and why no other text can pass for one. */
import type { SystemItem } from "@yoi/base";

/** `<`, and what looks like it or decomposes to it. */
const opening = /[<\u02c2\u1438\u2039\u226e\u227a\u2329\u276c\u276e\u2770\u27e8\u3008\ufe64\uff1c]/gu;

/**
 * Passed over between the letters: what is not seen, what is seen as a gap, whatever looks like a dash, the slash of a closing tag. An
 * accent is one too: it comes apart from its letter. Unassigned characters are not: what they are changes from Node to Node, and what a
 * request lowers to may not.
 */
const filler =
  /[\s\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{M}\p{Z}\p{Default_Ignorable_Code_Point}\p{Pd}\p{Pc}\u00af\u02d7\u2043\u2212\u2500\u2796\u2800\u30fc\u4e00/]/u;

/** What a reader takes for a letter of the tag, beyond case, accents and compatibility forms. */
const lookAlikes: { readonly [letter: string]: string } = {
  y: "\u0443\u04af\u03b3\u028f\u1eff\u0263",
  o: "0\u043e\u03bf\u03c3\u0585\u1d0f\u00f8\u0275",
  i: "1l|!\u0456\u04cf\u03b9\u0131\u026a\u0269\u01c0",
  n: "\u0578\u057c\u03b7\u043f\u0274\u014b",
  t: "\u0442\u03c4\u1d1b\u0167",
  e: "3\u0435\u03b5\u0454\u1d07\u0259\u212e",
};
const letterOf = new Map(
  Object.entries(lookAlikes).flatMap(([letter, alike]) => [...alike].map((one) => [one, letter] as const)),
);

const tagLetters = "yoinote";

/** Whether what stands at `from` is read as the rest of a tag. Looks no further than the first thing that is no part of one. */
function isTag(text: string, from: number): boolean {
  let read = 0;
  for (let at = from; at < text.length;) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    at += character.length;
    if (filler.test(character)) continue;
    for (const part of character.normalize("NFKD").toLowerCase()) {
      if ((letterOf.get(part) ?? part) === tagLetters[read]) read += 1;
      else if (!filler.test(part)) return false;
      if (read === tagLetters.length) return true;
    }
  }
  return false;
}

/**
 * `text` with the opening of every `yoi-note` tag in it made `&lt;`, in any case, compatibility form or look-alike letters of the
 * tables above, whatever invisible stands between. Anything that the host did not write itself goes through here. Linear.
 */
export function escapeNotes(text: string): string {
  return text.replace(opening, (found, at: number) => (isTag(text, at + found.length) ? "&lt;" : found));
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

/** Any text that the host did not write itself, as it may be sent. */
export function sendableText(text: string): string {
  return escapeNotes(text.toWellFormed());
}

/** What the host says, as text. The body is escaped too: it may quote a file or another Pod. */
export function wrapText(id: string, kind: string, source: string, body: string): string {
  const head = `<yoi-note id="${id}" kind="${attribute(kind)}" source="${attribute(source)}">`;
  return `${head}\n${sendableText(body)}\n</yoi-note>`;
}

/** A system item as text. */
export function wrapNote(id: string, item: SystemItem): string {
  return wrapText(id, item.kind, item.source, item.body);
}
