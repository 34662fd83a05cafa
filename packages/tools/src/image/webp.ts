/** WebP: its size, and whether its chunks are all there, with pixels among them. */

const pixelChunks: ReadonlySet<string> = new Set(["VP8 ", "VP8L", "ANMF"]);
const headBytes = 12;

export function isWholeWebp(bytes: Buffer): boolean {
  const end = bytes.readUInt32LE(4) + 8;
  if (end > bytes.length) return false;
  let hasPixels = false;
  let at = headBytes;
  while (at + 8 <= end) {
    const type = bytes.toString("latin1", at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    if (at + 8 + length > end) return false;
    hasPixels ||=
      pixelChunks.has(type) && length > 0 && !isBrokenFrame(type, bytes.subarray(at + 8, at + 8 + length));
    at += 8 + length + (length % 2);
  }
  return hasPixels;
}

/** What the first bytes of a frame must be, and how long its first part is at least. */
function isBrokenFrame(type: string, frame: Buffer): boolean {
  if (type === "VP8L") return frame[0] !== 0x2f;
  if (type !== "VP8 ") return false;
  return (
    frame.length < 10 ||
    frame.readUIntBE(3, 3) !== 0x9d012a ||
    frame.readUIntLE(0, 3) >>> 5 > frame.length - 10
  );
}

/** The first chunk says it, in one of three ways. */
export function webpSize(bytes: Buffer): readonly [number, number] | null {
  if (bytes.length < 30) return null;
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    case "VP8X":
      return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
    default:
      return null;
  }
}
