/** PNG: whether every chunk is there with its checksum, and the pixels can be unpacked. */
import { crc32, createInflate } from "node:zlib";

const signatureBytes = 8;
/** Length, type and checksum of a chunk. */
const frameBytes = 12;
/** Samples a pixel, by colour type. */
const samplesOf: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
]);
/** First column and row of each pass of an interlaced picture, and the steps between them. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

export async function isWholePng(bytes: Buffer): Promise<boolean> {
  const chunks = chunksOf(bytes);
  const [header] = chunks ?? [];
  if (chunks === null || header?.type !== "IHDR" || header.data.length !== 13) return false;
  const expected = pixelBytesOf(header.data);
  const packed = chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data);
  return expected !== null && (await unpacksTo(packed, expected));
}

/** Up to and with the end chunk; null: one is cut off or not what was written. */
function chunksOf(bytes: Buffer): readonly Chunk[] | null {
  const chunks: Chunk[] = [];
  for (let at = signatureBytes; at + frameBytes <= bytes.length;) {
    const end = at + frameBytes + bytes.readUInt32BE(at);
    if (end > bytes.length || crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4))
      return null;
    const type = bytes.toString("latin1", at + 4, at + 8);
    chunks.push({ type, data: bytes.subarray(at + 8, end - 4) });
    if (type === "IEND") return chunks;
    at = end;
  }
  return null;
}

/** Bytes of all rows, each with the one that names its filter; null: no such picture is defined. */
function pixelBytesOf(header: Buffer): number | null {
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth = 0, colour = 0, , , interlace = 0] = header.subarray(8);
  const samples = samplesOf.get(colour);
  if (samples === undefined || ![1, 2, 4, 8, 16].includes(depth) || interlace > 1) return null;
  const rows = (columns: number, count: number): number =>
    columns === 0 ? 0 : count * (1 + Math.ceil((columns * samples * depth) / 8));
  if (interlace === 0) return rows(width, height);
  const part = (size: number, first: number, step: number): number =>
    Math.max(0, Math.ceil((size - first) / step));
  return passes.reduce(
    (sum, [x, y, stepX, stepY]) => sum + rows(part(width, x, stepX), part(height, y, stepY)),
    0,
  );
}

/** Nothing of what is unpacked is kept, and no more is unpacked than a picture of that size has. */
async function unpacksTo(packed: readonly Buffer[], expected: number): Promise<boolean> {
  const inflate = createInflate();
  inflate.end(Buffer.concat(packed));
  let unpacked = 0;
  try {
    for await (const piece of inflate as AsyncIterable<Buffer>) {
      unpacked += piece.length;
      if (unpacked >= expected) return true;
    }
    return false;
  } catch {
    // No zlib data, or cut off.
    return false;
  }
}
