/** Pictures for tests: the smallest files of each kind that are whole, with the size that their header is to say. */
import { crc32, deflateSync } from "node:zlib";

export function pngOf(width: number, height: number, rest = 0): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (width + 1));
  const chunks = [
    chunkOf("IHDR", header),
    ...(rest === 0 ? [] : [chunkOf("teST", Buffer.alloc(rest))]),
    chunkOf("IDAT", deflateSync(rows)),
    chunkOf("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...chunks]);
}

export function chunkOf(type: string, data: Buffer): Buffer {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

export function gifOf(width: number, height: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  const frame = Buffer.from("2c00000000010001000002024401003b0000", "hex");
  return Buffer.concat([Buffer.from("GIF89a"), size, Buffer.from("800000000000ffffff", "hex"), frame]);
}

/** A comment segment and a Huffman table stand before the frame, and a fill byte. */
export function jpegOf(width: number, height: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16BE(height, 0);
  size.writeUInt16BE(width, 2);
  return Buffer.concat([
    Buffer.from("ffd8fffe0006c0c0c0c0ffc40004ffc0ffffc2001108", "hex"),
    size,
    Buffer.from("03000000000000000000ffda0002aabbff00ffd0ccffd9", "hex"),
  ]);
}

export function webpOf(kind: "VP8 " | "VP8L" | "VP8X", width: number, height: number): Buffer {
  const chunk = Buffer.alloc(18);
  chunk.write(kind, 0, "latin1");
  chunk.writeUInt32LE(10, 4);
  if (kind === "VP8 ") {
    chunk.set([0x9d, 0x01, 0x2a], 11);
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
  const rest = kind === "VP8X" ? webpOf("VP8L", width, height).subarray(12) : Buffer.alloc(0);
  head.writeUInt32LE(4 + chunk.length + rest.length, 4);
  head.write("WEBP", 8, "latin1");
  return Buffer.concat([head, chunk, rest]);
}
