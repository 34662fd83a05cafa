/** Chip: a piece of an input that is one cell in the composer, such as a long paste. In the text it stands as a sign that no other text holds. */
import { type InputPart, utf8Length } from "@yoi/base";

export type Chip =
  /** Sent as it is: nothing in it refers to a file. */
  | { readonly kind: "paste"; readonly text: string }
  /** A reference whose path cannot be typed. */
  | { readonly kind: "file_ref"; readonly path: string }
  /** A skill to load that is called as a command is, or does not stand at the beginning. */
  | { readonly kind: "skill_ref"; readonly name: string };

/** By their signs. */
export type Chips = ReadonlyMap<string, Chip>;

export const noChips: Chips = new Map();

/** A paste of more is a chip. */
export const pasteLinesMax = 10;
export const pasteCharsMax = 1_000;

/** Lone surrogates are in no well-formed text, and nothing joins with one to a character. */
const firstSign = 0xdc00;
export const chipsMax = 0xdfff - firstSign + 1;
const signs = /[\udc00-\udfff]/u;
const allSigns = /[\udc00-\udfff]/gu;

/** Text as the composer holds it: LF alone ends a line, and no character is a sign. */
export function plainText(text: string): string {
  return text.replace(/\r\n?/g, "\n").toWellFormed();
}

/** `cell` is one cell of a text, or a whole text: true where a chip stands in it. */
export function hasChip(cell: string): boolean {
  return signs.test(cell);
}

export function signsIn(text: string): readonly string[] {
  return text.match(allSigns) ?? [];
}

/** `text` split at its signs: even elements are texts, odd ones are signs. */
export function splitAtSigns(text: string): readonly string[] {
  return text.split(/([\udc00-\udfff])/u);
}

export function isLongPaste(text: string): boolean {
  if (text.length > pasteCharsMax) return true;
  return linesOf(text) > pasteLinesMax;
}

/** Null: there are as many as there can be. */
export function withChip(chips: Chips, chip: Chip): { readonly chips: Chips; readonly sign: string } | null {
  for (let code = firstSign; code < firstSign + chipsMax; code += 1) {
    const sign = String.fromCharCode(code);
    if (!chips.has(sign)) return { chips: new Map([...chips, [sign, chip]]), sign };
  }
  return null;
}

/** What a person would type for it. */
export function chipText(chip: Chip): string {
  switch (chip.kind) {
    case "paste":
      return chip.text;
    case "file_ref":
      return `@${chip.path}`;
    case "skill_ref":
      return `/skill ${chip.name}`;
  }
}

/** What is sent for it. */
export function chipPart(chip: Chip): InputPart {
  switch (chip.kind) {
    case "paste":
      return { type: "text", text: chip.text };
    case "file_ref":
      return { type: "file_ref", path: chip.path };
    case "skill_ref":
      return { type: "skill_ref", name: chip.name };
  }
}

/** How it is shown; `sign` gives it its number. Not escaped. */
export function chipLabel(sign: string, chip: Chip): string {
  if (chip.kind === "file_ref") return `[@${chip.path}]`;
  if (chip.kind === "skill_ref") return `[/${chip.name}]`;
  const lines = linesOf(chip.text);
  const n = sign.charCodeAt(0) - firstSign + 1;
  return `[pasted #${n}: ${lines} ${lines === 1 ? "line" : "lines"}, ${shownBytes(utf8Length(chip.text))}]`;
}

/** A line end at the end ends the last line, and begins no other. */
function linesOf(text: string): number {
  let lines = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

const kilobyte = 1_024;

function shownBytes(bytes: number): string {
  if (bytes < kilobyte) return `${bytes} B`;
  if (bytes < kilobyte * kilobyte) return `${Math.round(bytes / kilobyte)} KB`;
  return `${(bytes / kilobyte / kilobyte).toFixed(1)} MB`;
}
