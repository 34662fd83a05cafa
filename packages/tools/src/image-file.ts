/** Image file: a picture that a model may be shown, told by its bytes, with its size in pixels, and within what every provider takes. */
import { type Image, type ImageType, YoiError } from "@yoi/base";
import { quotePath } from "@yoi/scope";
import { isWholeGif } from "./image/gif.ts";
import { readJpeg } from "./image/jpeg.ts";
import { isWholePng } from "./image/png.ts";
import { isWholeWebp, webpSize } from "./image/webp.ts";

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
  /** Whether all of it is there, as far as its structure tells: a provider refuses a damaged picture, and with it every later request. */
  readonly isWhole: (bytes: Buffer) => boolean | Promise<boolean>;
}

const png: Format = {
  type: "image/png",
  name: "PNG",
  size: (bytes) =>
    bytes.length < 24 || bytes.toString("latin1", 12, 16) !== "IHDR"
      ? null
      : [bytes.readUInt32BE(16), bytes.readUInt32BE(20)],
  isWhole: isWholePng,
};
/** By the MIME type that `file-type` tells. */
const formats: Readonly<Record<string, Format>> = {
  "image/png": png,
  "image/apng": png,
  "image/jpeg": {
    type: "image/jpeg",
    name: "JPEG",
    size: (bytes) => readJpeg(bytes).size,
    isWhole: (bytes) => readJpeg(bytes).isWhole,
  },
  "image/gif": {
    type: "image/gif",
    name: "GIF",
    size: (bytes) => (bytes.length < 10 ? null : [bytes.readUInt16LE(6), bytes.readUInt16LE(8)]),
    isWhole: isWholeGif,
  },
  "image/webp": { type: "image/webp", name: "WebP", size: webpSize, isWhole: isWholeWebp },
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
  const damaged = new YoiError(
    "usage",
    `${quotePath(path)} is a ${format.name} image that is damaged or cut off.`,
  );
  const size = format.size(bytes);
  if (size === null || size.includes(0)) throw damaged;
  const [width, height] = size;
  const description = `${format.name}, ${bytes.length} bytes, ${width} x ${height} pixels`;
  if (bytes.length > imageBytesMax || Math.max(width, height) > imageSideMax) {
    throw new YoiError(
      "limit_exceeded",
      `${quotePath(path)} is an image (${description}), and one of at most ${imageBytesMax} bytes and ${imageSideMax} pixels a side can be shown: make a smaller copy of it.`,
    );
  }
  if (!(await format.isWhole(bytes))) throw damaged;
  return {
    image: { type: "image", media_type: format.type, data: bytes.toString("base64") },
    description,
  };
}
