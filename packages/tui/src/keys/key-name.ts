/** Names of keys, as a person writes them and as a KeyEvent has them. */

const named: Readonly<Record<string, string>> = {
  enter: "enter",
  return: "enter",
  escape: "escape",
  esc: "escape",
  tab: "tab",
  backspace: "backspace",
  delete: "delete",
  del: "delete",
  insert: "insert",
  ins: "insert",
  up: "up",
  down: "down",
  left: "left",
  right: "right",
  home: "home",
  end: "end",
  pageup: "pageup",
  pgup: "pageup",
  pagedown: "pagedown",
  pgdn: "pagedown",
  space: "space",
  ...Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`f${n + 1}`, `f${n + 1}`])),
};

export const keyNames: readonly string[] = [...new Set(Object.values(named))];

const modifiers = ["ctrl", "alt", "shift"] as const;
type Modifier = (typeof modifiers)[number];
const modifierNames: Readonly<Record<string, Modifier>> = {
  ctrl: "ctrl",
  control: "ctrl",
  c: "ctrl",
  alt: "alt",
  meta: "alt",
  option: "alt",
  m: "alt",
  shift: "shift",
  s: "shift",
};

const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** One key or several with spaces between them, as KeyEvents have them; null: no key is called so. */
export function keySequenceOf(written: string): string | null {
  const keys = written.trim().split(/\s+/).map(keyOf);
  return keys.length > keysInSequenceMax || keys.includes(null) ? null : keys.join(" ");
}

/** A key and the one before it. */
const keysInSequenceMax = 2;

/** `Ctrl+X`, `c-x`, `^X`, `alt+enter`, `F2`, `?`. */
function keyOf(written: string): string | null {
  if (/^\^[A-Za-z]$/.test(written)) return `ctrl+${written.slice(1).toLowerCase()}`;
  const held = new Set<Modifier>();
  let rest = written;
  for (;;) {
    const [whole = "", word = ""] = /^([A-Za-z]+)[+-](?=.)/.exec(rest) ?? [];
    const modifier = Object.hasOwn(modifierNames, word.toLowerCase())
      ? modifierNames[word.toLowerCase()]
      : undefined;
    if (modifier === undefined) break;
    held.add(modifier);
    rest = rest.slice(whole.length);
  }
  const special = Object.hasOwn(named, rest.toLowerCase()) ? named[rest.toLowerCase()] : undefined;
  const isCharacter =
    special === undefined && [...characters.segment(rest)].length === 1 && !/[\p{C}\p{Z}]/u.test(rest);
  if (special === undefined && !isCharacter) return null;
  const prefix = modifiers.filter((modifier) => held.has(modifier)).map((modifier) => `${modifier}+`);
  if (special !== undefined) return prefix.join("") + special;
  const bare = !held.has("ctrl") && !held.has("alt");
  if (bare) return held.has("shift") ? rest.toUpperCase() : rest;
  return prefix.join("") + rest.toLowerCase();
}

/** It types a character where text is written. */
export function isTyping(key: string): boolean {
  return key === "space" || (!key.includes("+") && !keyNames.includes(key)) || key === "+";
}

/** As a person reads it: `Ctrl+X`. */
export function shownKey(sequence: string): string {
  return sequence.split(" ").map(shownOne).join(" ");
}

const capitals: Readonly<Record<string, string>> = { pageup: "PageUp", pagedown: "PageDown", escape: "Esc" };

function shownOne(key: string): string {
  const at = key.lastIndexOf("+", key.length - 2);
  const held = at <= 0 ? [] : key.slice(0, at).split("+");
  const last = at <= 0 ? key : key.slice(at + 1);
  const isNamed = keyNames.includes(last);
  const shown = isNamed ? (capitals[last] ?? capital(last)) : held.length > 0 ? last.toUpperCase() : last;
  return [...held.map(capital), shown].join("+");
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
