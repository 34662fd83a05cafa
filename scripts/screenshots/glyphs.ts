/** Which characters a TrueType font has a glyph for, so that no picture has a box where a sign should be. */
import { readFileSync } from "node:fs";

/** Of Unicode, up to U+FFFF: the subtable that every font has. */
const segmentFormat = 4;

/** True: the font draws this code point. */
export function glyphsOf(file: string): (codePoint: number) => boolean {
  const font = readFileSync(file);
  const cmap = tableAt(font, "cmap", file);
  const subtables = Array.from({ length: font.readUInt16BE(cmap + 2) }, (_, at) => {
    return cmap + font.readUInt32BE(cmap + 4 + 8 * at + 4);
  });
  const subtable = subtables.find((at) => font.readUInt16BE(at) === segmentFormat);
  if (subtable === undefined) throw new Error(`${file} has no character map of format ${segmentFormat}.`);
  const segments = font.readUInt16BE(subtable + 6) / 2;
  const ends = subtable + 14;
  const starts = ends + 2 * segments + 2;
  const deltas = starts + 2 * segments;
  const offsets = deltas + 2 * segments;
  return (codePoint) => {
    for (let at = 0; at < segments; at += 1) {
      if (font.readUInt16BE(ends + 2 * at) < codePoint) continue;
      const start = font.readUInt16BE(starts + 2 * at);
      if (start > codePoint) return false;
      const offset = font.readUInt16BE(offsets + 2 * at);
      if (offset === 0) return (codePoint + font.readUInt16BE(deltas + 2 * at)) % 0x1_00_00 !== 0;
      return font.readUInt16BE(offsets + 2 * at + offset + 2 * (codePoint - start)) !== 0;
    }
    return false;
  };
}

function tableAt(font: Buffer, name: string, file: string): number {
  for (let at = 0; at < font.readUInt16BE(4); at += 1) {
    const entry = 12 + 16 * at;
    if (font.toString("latin1", entry, entry + 4) === name) return font.readUInt32BE(entry + 8);
  }
  throw new Error(`${file} has no table ${name}.`);
}
