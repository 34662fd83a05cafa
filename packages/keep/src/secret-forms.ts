/** The forms in which a known value may turn up in text. */
import { ownPartOf } from "./own-part.ts";

/** Shorter values are not looked for: they are no keys ("ollama", "not-needed"), and would be found in every other word. */
export const redactedLengthMin = 12;

/** Values of fewer different characters ("xxxxxxxxxxxx") are no keys either. */
export const differentCharactersMin = 8;

/**
 * A beginning or an end of this many characters counts as the value: texts are cut at limits, and a cut must not leave most of a key. Longer
 * than what the keys of one provider have in common.
 */
export const fragmentLengthMin = 20;

export interface Form {
  readonly text: string;
  /** Where that begins which other values do not begin with; a beginning counts from here. */
  readonly own: number;
}

/** Why the value is not looked for, as the end of a sentence; null: it is. */
export function whyNotSought(value: string): string | null {
  if (value.length < redactedLengthMin) return `it has less than ${redactedLengthMin} characters`;
  if (new Set(value).size < differentCharactersMin)
    return `it has less than ${differentCharactersMin} different characters`;
  return isPlaceholder(value) ? "it is a placeholder" : null;
}

/** Every form once, the value itself first. Empty for a value that is not looked for. */
export function formsOf(value: string): readonly Form[] {
  if (whyNotSought(value) !== null) return [];
  const whole = value.toWellFormed();
  // A value whose own part begins further on has no character before it that any form escapes.
  const own = ownPartOf(whole, fragmentLengthMin);
  const json = jsonForm(whole);
  const percent = encodeURIComponent(whole);
  const plain = [
    whole,
    json,
    // JSON text inside JSON text, as tool arguments in a line of the log are.
    jsonForm(json),
    whole.replaceAll("/", "\\/"),
    jsonForm(whole.replaceAll("/", "\\/")),
    percent,
    percent.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  ];
  const base64 = [0, 1, 2].map((offset) => base64Form(whole, own, offset));
  const all: readonly Form[] = [
    ...plain.map((text) => ({ text, own })),
    ...base64,
    ...base64.map((form) => ({ ...form, text: form.text.replaceAll("+", "-").replaceAll("/", "_") })),
  ];
  return [...new Map(all.map((form) => [form.text, form])).values()];
}

function jsonForm(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** What of the value's Base64 is the same whatever stands before and behind it, when it begins at this offset of a group of three. */
function base64Form(value: string, own: number, offset: number): Form {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value, "utf8")]);
  const digits = (count: number): number => Math.ceil((count * 8) / 6);
  const from = digits(offset);
  const text = bytes.toString("base64").slice(from, Math.floor((bytes.length * 8) / 6));
  return { text, own: digits(offset + own) - from };
}

/** Words of which samples and settings are made that must hold something, and hold no key. */
const placeholderWords: ReadonlySet<string> = new Set(
  (
    "a an any anthropic api apikey auth azure change changeme default demo dummy empty example fake fill foo bar gemini goes google groq here " +
    "ignored in insert is it key keys lm lmstudio local localhost me mistral mock my need needed needs no none not nothing null ollama openai " +
    "openrouter or paste placeholder please project proj provide put real replace replaceme required sample secret set sk some studio test testing the " +
    "this to todo token unused use used value vllm with your"
  ).split(" "),
);

/** Such words, and with them nothing but runs of one character and digits counted up. */
function isPlaceholder(value: string): boolean {
  const parts = value.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const rest = parts.filter((part) => !placeholderWords.has(part));
  return (
    rest.length < parts.length &&
    rest.every((part) => /^(.?)\1*$/u.test(part) || "012345678901234567890".includes(part))
  );
}
