/** Text bounds in bytes, cut where a character ends. */

const encoder = new TextEncoder();

export function utf8Length(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** The longest prefix of `text` that is at most `bytesMax` bytes of UTF-8 and ends at a character boundary. */
export function cutUtf8(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text;
  if (bytesMax <= 0) return "";
  const { read } = encoder.encodeInto(text, new Uint8Array(bytesMax));
  return text.slice(0, read);
}

/** Controls, line and direction marks, and what has no width of its own: zero-width spaces and joiners, soft hyphens, tags. */
const disturbing =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const joiners = "\u200c\u200d";
/** Writing in which a joiner shows, with the marks that it shares; an emoji is put together with one. */
const joining =
  "[\\p{scx=Arabic}\\p{scx=Syriac}\\p{scx=Nko}\\p{scx=Mongolian}\\p{scx=Devanagari}\\p{scx=Bengali}\\p{scx=Gurmukhi}\\p{scx=Gujarati}\\p{scx=Oriya}\\p{scx=Tamil}\\p{scx=Telugu}\\p{scx=Kannada}\\p{scx=Malayalam}\\p{scx=Sinhala}\\p{scx=Khmer}\\p{scx=Myanmar}]";
const pictograph = "\\p{Extended_Pictographic}";
/** A character takes at most two places, and a pictograph has at most a skin tone or a variation selector behind it. */
const aroundChars = 4;

/**
 * `text` with every character that could forge or disturb a terminal line, or that nobody would see, shown as an escape. Newline and tab stay
 * when asked; a joiner stays where it shapes what is read: beside a letter that joins, and inside an emoji.
 */
export function escapeControls(text: string, keep: "none" | "newline-tab" = "none"): string {
  return text.replace(disturbing, (c, at: number) => {
    if (keep === "newline-tab" && (c === "\n" || c === "\t")) return c;
    if (joiners.includes(c) && isShaping(text, at)) return c;
    const code = (c.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
  });
}

function isShaping(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - aroundChars), at);
  const after = text.slice(at + 1, at + 1 + aroundChars);
  return shaping.some(([end, start]) => end.test(before) && start.test(after));
}

const shaping = [
  // At the end of a word too, as half letters are; and between a foreign word and its ending.
  [new RegExp(`${joining}$`, "u"), /^/u],
  [/[A-Za-z0-9]$/u, new RegExp(`^${joining}`, "u")],
  [new RegExp(`${pictograph}[\\ufe0f\\p{Emoji_Modifier}]?$`, "u"), new RegExp(`^${pictograph}`, "u")],
] as const;
