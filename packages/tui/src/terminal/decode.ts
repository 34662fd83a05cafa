/** What a terminal sends for keys, as keys. One sequence at a time, as `StdinBuffer` cuts them. */
import { parseKey } from "@earendil-works/pi-tui";
import type { KeyEvent } from "../keys/key-event.ts";

const escape = "\u001b";
/** With Alt before it, as rxvt sends it, and macOS Terminal with Option as Meta. */
const withEscape = /^\u001b(?=\u001b[[O])/;
const release = /^\u001b\[[\d:;]*:3[u~A-Z]$/;
const kitty = /^\u001b\[(\d+)(?::(\d*))?(?::\d+)?(?:;(\d*)(?::\d+)?)?(?:;[\d:]*)?u$/;
const otherKeys = /^\u001b\[27;(\d+);(\d+)~$/;
const functionKey = /^\u001b(?:\[(\d+)(?:;(\d+)(?::\d+)?)?~|\[1;(\d+)(?::\d+)?([PQRS]))$/;
const modifierNames = ["ctrl", "alt", "shift"] as const;
type Modifier = (typeof modifierNames)[number];
const shiftBit = 1;
const altBit = 2;
const ctrlBit = 4;
/** Shift, alt and ctrl; caps lock and num lock besides them change nothing, and other modifiers are not for us. */
const lockBits = 64 + 128;

const functionNames: Readonly<Record<string, string>> = {
  "1": "home",
  "4": "end",
  "7": "home",
  "8": "end",
  "11": "f1",
  "12": "f2",
  "13": "f3",
  "14": "f4",
  "15": "f5",
  "17": "f6",
  "18": "f7",
  "19": "f8",
  "20": "f9",
  "21": "f10",
  "23": "f11",
  "24": "f12",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
};

/** No key, where it means none to us: an answer of the terminal, a mouse, a key that was let go. */
export function decodeKeys(sequence: string): readonly KeyEvent[] {
  // Twice, not with Alt: that is how Esc Esc arrives over a slow line.
  if (sequence === escape + escape) return [key([], "escape"), key([], "escape")];
  const found = withEscape.test(sequence) ? altKey(sequence.slice(1)) : decodeKey(sequence);
  return found === null ? [] : [found];
}

/** Null: what stands behind the escape is no key of a terminal that writes Alt so. */
function altKey(sequence: string): KeyEvent | null {
  const found = kitty.test(sequence) || otherKeys.test(sequence) ? null : decodeKey(sequence);
  if (found === null) return null;
  const names = found.key.split("+");
  const base = names.pop() ?? "";
  return key(
    modifierNames.filter((each) => each === "alt" || names.includes(each)),
    base,
  );
}

function decodeKey(sequence: string): KeyEvent | null {
  if (!sequence.startsWith(escape)) return plainKey([], sequence);
  if (sequence === escape) return key([], "escape");
  const second = sequence.slice(1);
  const isBare = [...second].length === 1 && second !== "[" && second !== "O";
  if (isBare) return plainKey(["alt"], second);
  if (release.test(sequence)) return null;
  return protocolKey(sequence) ?? functionKeyOf(sequence) ?? namedKey(sequence);
}

/** A character as it is typed, or a control character that stands for a key. */
function plainKey(modifiers: readonly Modifier[], text: string): KeyEvent | null {
  const code = text.codePointAt(0);
  if (code === undefined || text.length !== String.fromCodePoint(code).length) return null;
  switch (code) {
    case 0x0d:
      return key(modifiers, "enter");
    case 0x09:
      return key(modifiers, "tab");
    case 0x7f:
    case 0x08:
      return key(modifiers, "backspace");
    case 0x00:
      return key(["ctrl", ...modifiers], "space");
    case 0x1c:
      return key(["ctrl", ...modifiers], "\\");
    case 0x1d:
      return key(["ctrl", ...modifiers], "]");
    case 0x1e:
      return key(["ctrl", ...modifiers], "^");
    case 0x1f:
      return key(["ctrl", ...modifiers], "_");
  }
  // LF too: nothing else tells Ctrl+J apart from Enter.
  if (code <= 0x1a) return key(["ctrl", ...modifiers], String.fromCharCode(code + 0x60));
  return character(modifiers, text);
}

/** @param text what it types without ctrl and alt. */
function character(modifiers: readonly Modifier[], text: string): KeyEvent | null {
  const code = text.codePointAt(0) ?? 0;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0xe000 && code <= 0xf8ff)) return null;
  const isCommand = modifiers.includes("ctrl") || modifiers.includes("alt");
  if (text === " ") return key(modifiers, "space", isCommand ? null : " ");
  if (!isCommand) return { type: "key", key: text, text };
  const lower = text.toLowerCase();
  const isUpper = lower !== text && lower.length === text.length;
  return key(isUpper ? [...modifiers, "shift"] : modifiers, isUpper ? lower : text);
}

/** The kitty protocol and modifyOtherKeys: a code point and its modifiers. */
function protocolKey(sequence: string): KeyEvent | null {
  const asKitty = kitty.exec(sequence);
  const asOther = asKitty === null ? otherKeys.exec(sequence) : null;
  if (asKitty === null && asOther === null) return null;
  const code = Number(asKitty?.[1] ?? asOther?.[2]);
  const bits = (Number(asKitty?.[3] ?? asOther?.[1] ?? 1) || 1) - 1;
  const modifiers = modifiersOf(bits);
  if (modifiers === null || code > 0x10ffff) return null;
  const isTyped = !modifiers.includes("ctrl") && !modifiers.includes("alt");
  const shifted = Number(asKitty?.[2] ?? "") || null;
  const typed = String.fromCodePoint(shifted !== null && modifiers.includes("shift") ? shifted : code);
  // A letter of another alphabet with Ctrl or Alt is the key where it is on the keyboard; keypad keys are what they type.
  const named = parsed(sequence);
  if (named === null) return character(isTyped ? [] : modifiers, typed);
  if ([...named].length > 1 && named !== "space") return key(modifiers, named);
  if (!isTyped) return key(modifiers, named);
  const isKeypad = code >= 57_344;
  const text = isKeypad ? named : upperWhereShifted(typed, modifiers, shifted);
  return character([], named === "space" ? " " : text);
}

/** modifyOtherKeys says the letter, some terminals in lower case. */
function upperWhereShifted(text: string, modifiers: readonly Modifier[], shifted: number | null): string {
  return modifiers.includes("shift") && shifted === null ? text.toUpperCase() : text;
}

function functionKeyOf(sequence: string): KeyEvent | null {
  const match = functionKey.exec(sequence);
  if (match === null) return null;
  const name = functionNames[match[1] ?? match[4] ?? ""];
  const modifiers = modifiersOf(Number(match[2] ?? match[3] ?? 1) - 1);
  return name === undefined || modifiers === null ? null : key(modifiers, name);
}

/** Arrows and what has a name, in the ways of several terminals. */
function namedKey(sequence: string): KeyEvent | null {
  const name = parseKey(sequence);
  if (name === undefined) return null;
  const parts = name.split("+");
  const base = (parts.pop() ?? "").toLowerCase();
  if (parts.includes("super") || base === "clear") return null;
  return key(
    modifierNames.filter((each) => parts.includes(each)),
    base,
  );
}

/** What the library calls the key, without its modifiers. */
function parsed(sequence: string): string | null {
  const name = parseKey(sequence);
  if (name === undefined) return null;
  const base = name.endsWith("++") || name === "+" ? "+" : (name.split("+").at(-1) ?? "");
  return base.toLowerCase();
}

function modifiersOf(bits: number): readonly Modifier[] | null {
  const known = bits & ~lockBits;
  if (known > (shiftBit | altBit | ctrlBit)) return null;
  return [
    ...(known & ctrlBit ? (["ctrl"] as const) : []),
    ...(known & altBit ? (["alt"] as const) : []),
    ...(known & shiftBit ? (["shift"] as const) : []),
  ];
}

function key(modifiers: readonly Modifier[], name: string, text: string | null = null): KeyEvent {
  const ordered = modifierNames.filter((each) => modifiers.includes(each));
  return { type: "key", key: [...ordered, name].join("+"), text };
}
