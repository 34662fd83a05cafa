/** Text that is not ours, made harmless before a view shows it. */
import { escapeControls } from "@yoi/base";
import { widthOf } from "./width.ts";

const tabColumns = 4;
const ascii = /^[\0-\x7f]*$/;

/** `text` with newlines, and with every other control, direction mark and invisible character as an escape; tabs are spaces up to the next stop of 4 columns. */
export function safeText(text: string): string {
  const escaped = apart(escapeControls(text.replace(/\r\n/g, "\n"), "newline-tab"));
  if (!escaped.includes("\t")) return escaped;
  return escaped
    .split("\n")
    .map((line) => (line.includes("\t") ? tabsAsSpaces(line) : line))
    .join("\n");
}

/** As one line: newlines and tabs are escapes too. */
export function safeLine(text: string): string {
  return apart(escapeControls(text));
}

const joined = /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d/gu;
const modified = /(?<=\p{Emoji_Modifier_Base}\ufe0f?)(?=\p{Emoji_Modifier})/gu;

/** The parts of an emoji beside each other: terminals do not agree on how wide they are as one, and a row that is wider than it was measured would leave its place. */
function apart(text: string): string {
  return ascii.test(text) ? text : text.replace(joined, "").replace(modified, " ");
}

/** More UTF-16 units than a character on a screen has in all writing. */
export const unitsPerColumn = 8;

/** As much of a text as a row of so many columns has room for, and more; what is cut off has `…`. */
export function headOf(text: string, columns: number): string {
  const charsMax = Math.max(1, columns) * unitsPerColumn;
  return text.length <= charsMax ? text : `${text.slice(0, charsMax)} …`;
}

/** `safeLine` of the head: a text of a megabyte costs no more than what is shown of it. */
export function safeHead(text: string, columns: number): string {
  return safeLine(headOf(text, columns));
}

function tabsAsSpaces(line: string): string {
  let shown = "";
  let column = 0;
  for (const [at, part] of line.split("\t").entries()) {
    const gap = at === 0 ? 0 : tabColumns - (column % tabColumns);
    shown += " ".repeat(gap) + part;
    column += gap + widthOf(part);
  }
  return shown;
}
