/** JPEG: its segments, up to the end behind the scan. A thumbnail in one of them is a whole JPEG too, with an end of its own. */

export interface JpegSegments {
  readonly size: readonly [width: number, height: number] | null;
  /** The scan is there, and the end of the picture behind it. */
  readonly isWhole: boolean;
}

export function readJpeg(bytes: Buffer): JpegSegments {
  let size: JpegSegments["size"] = null;
  let scanned = false;
  for (let at = 2; at + 2 <= bytes.length;) {
    const marker = bytes[at] === 0xff ? (bytes[at + 1] ?? 0) : 0;
    // Filling before a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === endOfImage) return { size, isWhole: scanned };
    if (marker < 0xc0 || at + 4 > bytes.length) break;
    const next = at + 2 + bytes.readUInt16BE(at + 2);
    if (isStartOfFrame(marker) && at + 9 <= bytes.length)
      size ??= [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    if (marker === startOfScan) {
      at = endOfScan(bytes, next);
      scanned ||= at > next;
    } else at = next;
  }
  return { size, isWhole: false };
}

const startOfScan = 0xda;
const endOfImage = 0xd9;

/** C4, C8 and CC between them are tables. */
function isStartOfFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** In a scan FF is followed by 0, or by one of the marks to start again at. */
function endOfScan(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(0xff, from);
  while (at >= 0 && at + 1 < bytes.length) {
    const marker = bytes[at + 1] ?? 0;
    if (marker !== 0 && marker !== 0xff && (marker < 0xd0 || marker > 0xd7)) return at;
    at = bytes.indexOf(0xff, marker === 0xff ? at + 1 : at + 2);
  }
  return bytes.length;
}
