/** PNG with a palette: pictures of a terminal have few colours, and are a third as large so. */
import { crc32, deflateSync } from "node:zlib";

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Four bytes each: red, green, blue, alpha. */
  readonly rgba: Uint8Array;
}

const coloursMax = 256;
/** Bits of each channel that are kept, the first that leaves few enough colours. */
const depths = [8, 6, 5, 4, 3] as const;

export function pngWithPalette(pixels: Pixels): Uint8Array {
  for (const bits of depths) {
    const indexed = indexedBy(pixels, bits);
    if (indexed !== null) return encoded(pixels, indexed);
  }
  throw new Error("The picture has too many colours.");
}

interface Indexed {
  /** Red, green, blue, alpha. */
  readonly palette: readonly (readonly number[])[];
  readonly rows: Uint8Array;
}

/** Null: too many colours. Rows begin with the byte of their filter, which is none. */
function indexedBy({ width, height, rgba }: Pixels, bits: number): Indexed | null {
  const places = new Map<number, number>();
  const palette: number[][] = [];
  const rows = new Uint8Array(height * (width + 1));
  const mask = 0xff - (0xff >> bits);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const from = 4 * (y * width + x);
      const channels = [0, 1, 2, 3].map((at) => rgba[from + at] ?? 0);
      const key = channels.reduce((sum, channel) => sum * 256 + (channel & mask), 0);
      let place = places.get(key);
      if (place === undefined) {
        if (palette.length === coloursMax) return null;
        place = palette.length;
        places.set(key, place);
        palette.push(channels);
      }
      rows[y * (width + 1) + 1 + x] = place;
    }
  }
  return { palette, rows };
}

function encoded({ width, height }: Pixels, { palette, rows }: Indexed): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8); // 8 bits, a palette, nothing else out of the ordinary
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flatMap((colour) => colour.slice(0, 3)))),
    chunk("tRNS", Buffer.from(palette.flatMap((colour) => colour.slice(3)))),
    chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  whole.set(body, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}
