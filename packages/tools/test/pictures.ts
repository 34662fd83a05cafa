/** Pictures for tests: the smallest files of each kind that are whole, with the size that their header is to say. */
import { deflateSync } from "node:zlib";

export function pngOf(width: number, height: number, rest = 0): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc(Math.min(height, 64) * (Math.min(width, 64) + 1));
  const chunks = [
    chunkOf("IHDR", header),
    ...(rest === 0 ? [] : [chunkOf("teST", Buffer.alloc(rest))]),
    chunkOf("IDAT", deflateSync(rows)),
    chunkOf("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...chunks]);
}

/** The checksum is left zero: nothing here looks at it. */
function chunkOf(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type, "latin1"), data, Buffer.alloc(4)]);
}

export function gifOf(width: number, height: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  return Buffer.concat([Buffer.from("GIF89a"), size, Buffer.from("000000", "hex"), Buffer.from(";\0\0")]);
}

/** A comment segment and a Huffman table stand before the frame, and a fill byte. */
export function jpegOf(width: number, height: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16BE(height, 0);
  size.writeUInt16BE(width, 2);
  return Buffer.concat([
    Buffer.from("ffd8fffe0006c0c0c0c0ffc40004ffc0ffffc2001108", "hex"),
    size,
    Buffer.from("03000000000000000000ffd9", "hex"),
  ]);
}

export function webpOf(kind: "VP8 " | "VP8L" | "VP8X", width: number, height: number): Buffer {
  const chunk = Buffer.alloc(18);
  chunk.write(kind, 0, "latin1");
  chunk.writeUInt32LE(10, 4);
  if (kind === "VP8 ") {
    chunk.writeUInt16LE(width | 0x4000, 14);
    chunk.writeUInt16LE(height, 16);
  } else if (kind === "VP8L") {
    chunk[8] = 0x2f;
    chunk.writeUInt32LE(((height - 1) << 14) | (width - 1), 9);
  } else {
    chunk.writeUIntLE(width - 1, 12, 3);
    chunk.writeUIntLE(height - 1, 15, 3);
  }
  const head = Buffer.alloc(12);
  head.write("RIFF", 0, "latin1");
  head.writeUInt32LE(4 + chunk.length, 4);
  head.write("WEBP", 8, "latin1");
  return Buffer.concat([head, chunk]);
}
