/** Image file: a picture that a model may be shown, told by its bytes, with its size in pixels, and within what every provider takes. */
import { type Image, type ImageType, YoiError } from "@yoi/base";
import { quotePath } from "@yoi/scope";

/** 5 MiB of base64: Anthropic takes no larger picture, and the others take that one. */
export const imageBytesMax = 3_932_160;
/** Pixels: Anthropic takes no wider or higher one. */
export const imageSideMax = 8000;

export interface ImageFile {
  readonly image: Image;
  /** What it is, for a sentence: `PNG, 1234 bytes, 20 x 30 pixels`. */
  readonly description: string;
}

interface Format {
  readonly type: ImageType;
  readonly name: string;
  /** Width and height from the header; null when it holds none. */
  readonly size: (bytes: Buffer) => readonly [number, number] | null;
  /** Whether the end is there: a provider refuses a picture that is cut off, and with it every later request. */
  readonly isWhole: (bytes: Buffer) => boolean;
}

/** The name of the last chunk and its checksum. */
const pngEndBytes = 8;

const png: Format = {
  type: "image/png",
  name: "PNG",
  size: (bytes) =>
    bytes.length < 24 || bytes.toString("latin1", 12, 16) !== "IHDR"
      ? null
      : [bytes.readUInt32BE(16), bytes.readUInt32BE(20)],
  isWhole: (bytes) => {
    const end = bytes.lastIndexOf("IEND", undefined, "latin1");
    return end > 0 && end + pngEndBytes <= bytes.length;
  },
};
/** By the MIME type that `file-type` tells. */
const formats: Readonly<Record<string, Format>> = {
  "image/png": png,
  "image/apng": png,
  "image/jpeg": {
    type: "image/jpeg",
    name: "JPEG",
    size: jpegSize,
    isWhole: (bytes) => bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) > 0,
  },
  "image/gif": {
    type: "image/gif",
    name: "GIF",
    size: (bytes) => (bytes.length < 10 ? null : [bytes.readUInt16LE(6), bytes.readUInt16LE(8)]),
    isWhole: (bytes) => bytes.findLast((byte) => byte !== 0) === 0x3b,
  },
  "image/webp": {
    type: "image/webp",
    name: "WebP",
    size: webpSize,
    isWhole: (bytes) => bytes.readUInt32LE(4) + 8 <= bytes.length,
  },
};

/** In hex: PNG, JPEG, GIF, and RIFF, which WebP is one of. */
const beginnings = ["89504e470d0a1a0a", "ffd8ff", "47494638", "52494646"] as const;

/** Null for what is no PNG, JPEG, GIF or WebP. Throws `limit_exceeded` for one that is too large, and `usage` for one that is damaged. */
export async function imageOf(bytes: Buffer, path: string): Promise<ImageFile | null> {
  // Nothing else is given to the library, which knows archives and containers of all kinds; most Pods never load it.
  if (!beginnings.some((beginning) => bytes.toString("hex", 0, 8).startsWith(beginning))) return null;
  const { fileTypeFromBuffer } = await import("file-type");
  const format = formats[(await fileTypeFromBuffer(bytes))?.mime ?? ""];
  if (format === undefined) return null;
  const size = format.size(bytes);
  if (size === null || size.includes(0) || !format.isWhole(bytes)) {
    throw new YoiError("usage", `${quotePath(path)} is a ${format.name} image that is damaged or cut off.`);
  }
  const [width, height] = size;
  const description = `${format.name}, ${bytes.length} bytes, ${width} x ${height} pixels`;
  if (bytes.length > imageBytesMax || Math.max(width, height) > imageSideMax) {
    throw new YoiError(
      "limit_exceeded",
      `${quotePath(path)} is an image (${description}), and one of at most ${imageBytesMax} bytes and ${imageSideMax} pixels a side can be shown: make a smaller copy of it.`,
    );
  }
  return {
    image: { type: "image", media_type: format.type, data: bytes.toString("base64") },
    description,
  };
}

/** In the start-of-frame segment, which stands behind any number of others. */
function jpegSize(bytes: Buffer): readonly [number, number] | null {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isStartOfFrame(marker)) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/** C4, C8 and CC between them are tables. */
function isStartOfFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** The first chunk says it, in one of three ways. */
function webpSize(bytes: Buffer): readonly [number, number] | null {
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
