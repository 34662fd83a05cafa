/** The forms in which a known value may turn up in text. */

/** Shorter values are not looked for: they are no keys ("ollama", "not-needed"), and would be found in every other word. */
export const redactedLengthMin = 12;

/**
 * A beginning or an end of this many characters counts as the value: texts are cut at limits, and a cut must not leave most of a key. Longer
 * than what the keys of one provider have in common.
 */
export const fragmentLengthMin = 20;

/** Every form once, the value itself first. Empty for a value too short to look for. */
export function formsOf(value: string): readonly string[] {
  if (value.length < redactedLengthMin) return [];
  const whole = value.toWellFormed();
  const json = jsonForm(whole);
  const percent = encodeURIComponent(whole);
  const base64 = [0, 1, 2].map((offset) => base64Form(whole, offset));
  return [
    ...new Set([
      whole,
      json,
      // JSON text inside JSON text, as tool arguments in a line of the log are.
      jsonForm(json),
      whole.replaceAll("/", "\\/"),
      jsonForm(whole.replaceAll("/", "\\/")),
      percent,
      percent.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
      ...base64,
      ...base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_")),
    ]),
  ];
}

function jsonForm(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** What of the value's Base64 is the same whatever stands before and behind it, when it begins at this offset of a group of three. */
function base64Form(value: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value, "utf8")]);
  const from = Math.ceil((offset * 8) / 6);
  return bytes.toString("base64").slice(from, Math.floor((bytes.length * 8) / 6));
}
