/** The modes of a terminal that are changed while the program has it, and how each is given back. */
import { escapeControls } from "@yoi/base";

/** Keys are told apart (1), with what stands there on another layout (4): the kitty keyboard protocol. Each screen has its own. */
export const pushKeyboard = "\u001b[>5u";
export const popKeyboard = "\u001b[<u";
/** Is answered with the flags where the protocol is known, and always by what comes second. */
export const askKeyboard = "\u001b[?u\u001b[c";
export const otherKeysOn = "\u001b[>4;2m";
const otherKeysOff = "\u001b[>4;0m";
const pushTitle = "\u001b[22;2t";
const popTitle = "\u001b[23;2t";

export const enterAlternate = `\u001b[?1049h${pushKeyboard}`;
export const leaveAlternate = `${popKeyboard}\u001b[?1049l\u001b[?25h`;

/** Bracketed paste, who looks, and the keyboard. */
export const takeModes = `${pushTitle}\u001b[?2004h\u001b[?1004h${pushKeyboard}${askKeyboard}`;
/** Everything that this program ever changes; harmless where it is not changed. */
export const giveModes = `\u001b[?2026l${popKeyboard}${otherKeysOff}\u001b[?1004l\u001b[?2004l\u001b[?7h\u001b[0m\u001b[?25h${popTitle}`;

const titleCharsMax = 200;

export function titleSequence(title: string | null): string {
  return `\u001b]2;${oneLine(title ?? "")}\u0007`;
}

/** How a terminal is told to tell its user something. */
export type Notifying = "osc9" | "osc777" | "bell";

export function notifySequence(text: string, notifying: Notifying): string {
  // A number first would be another command of OSC 9.
  const said = oneLine(`yoi: ${text}`).replaceAll(";", ",");
  switch (notifying) {
    case "osc9":
      return `\u0007\u001b]9;${said}\u0007`;
    case "osc777":
      return `\u0007\u001b]777;notify;yoi;${said}\u0007`;
    case "bell":
      return "\u0007";
  }
}

/** What terminals take at most, in base64 of 100,000 characters. */
export const copyBytesMax = 74_994;

/** Null: it is too long for a terminal. */
export function copySequence(text: string): string | null {
  const bytes = Buffer.from(text, "utf8");
  return bytes.length > copyBytesMax ? null : `\u001b]52;c;${bytes.toString("base64")}\u0007`;
}

function oneLine(text: string): string {
  return [...escapeControls(text.replace(/\s+/g, " "))].slice(0, titleCharsMax).join("");
}
