/** Images: what is one by its bytes, how large it is, and what is refused. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deflateSync } from "node:zlib";
import { YoiError } from "@yoi/base";
import fc from "fast-check";
import { imageBytesMax, imageOf, imageSideMax } from "../src/image-file.ts";
import { chunkOf, gifOf, jpegOf, pngOf, webpOf } from "./pictures.ts";
import { type Bench, createBench } from "./support.ts";

let bench: Bench;
let blind: Bench;
before(() => {
  bench = createBench();
  blind = createBench({ seesImages: false });
});
after(() => {
  bench.close();
  blind.close();
});

const kinds: readonly (readonly [string, string, (width: number, height: number) => Buffer])[] = [
  ["PNG", "image/png", pngOf],
  ["GIF", "image/gif", gifOf],
  ["JPEG", "image/jpeg", jpegOf],
  ["WebP", "image/webp", (width, height) => webpOf("VP8 ", width, height)],
  ["WebP", "image/webp", (width, height) => webpOf("VP8L", width, height)],
  ["WebP", "image/webp", (width, height) => webpOf("VP8X", width, height)],
];

test("Read shows an image, whatever its name says", async () => {
  for (const [index, [name, media_type, make]] of kinds.entries()) {
    const bytes = make(300, 20);
    const file_path = bench.put(`picture-${index}.txt`, bytes);
    assert.deepEqual(await bench.call("Read", { file_path }), {
      summary: `Read the image "${file_path}" (${name}, ${bytes.length} bytes, 300 x 20 pixels)`,
      images: [{ type: "image", media_type, data: bytes.toString("base64") }],
    });
  }
});

test("Read tells a model that sees no images what the file is, and puts none in", async () => {
  const file_path = blind.put("a.png", pngOf(3, 4));
  assert.deepEqual(await blind.call("Read", { file_path }), {
    summary: `Read the image "${file_path}" (PNG, ${pngOf(3, 4).length} bytes, 3 x 4 pixels): it is not shown, because the model in use does not see images`,
  });
});

async function problem(bytes: Buffer): Promise<[string, string] | null> {
  try {
    return (await imageOf(bytes, "/w/x")) === null ? ["null", ""] : null;
  } catch (thrown) {
    assert.ok(thrown instanceof YoiError, String(thrown));
    return [thrown.code, thrown.message];
  }
}

test("an image of the largest size is shown, and one byte or pixel more is not", async () => {
  const around = pngOf(1, 1, 1).length - 1;
  const full = pngOf(1, 1, imageBytesMax - around);
  assert.equal(full.length, imageBytesMax);
  assert.equal(await problem(full), null);
  assert.equal(Buffer.byteLength(full.toString("base64")), 5 * 1024 * 1024);
  assert.equal((await problem(pngOf(1, 1, imageBytesMax - around + 1)))?.[0], "limit_exceeded");
  for (const [, , make] of kinds) {
    assert.equal(await problem(make(imageSideMax, 1)), null);
    assert.equal(await problem(make(1, imageSideMax)), null);
    const code = "limit_exceeded";
    assert.equal((await problem(make(imageSideMax + 1, 1)))?.[0], code);
    assert.equal((await problem(make(1, imageSideMax + 1)))?.[0], code);
  }
});

test("a cut, empty or sizeless image is refused, and never an exception of its own: every cut of each kind", async () => {
  for (const [name, , make] of kinds) {
    const whole = make(30, 20);
    for (let length = 0; length < whole.length - 3; length += 1) {
      const found = await problem(whole.subarray(0, length));
      assert.notEqual(found, null, `${name} of ${length} bytes`);
      if (found?.[0] !== "null") assert.match(found?.[1] ?? "", /image that is damaged or cut off\.$/);
    }
  }
  for (const make of [pngOf, gifOf, jpegOf]) assert.equal((await problem(make(0, 5)))?.[0], "usage");
});

test("an image whose pixels are damaged is refused: a provider would refuse every later request with it", async () => {
  const header = pngOf(20, 30).subarray(0, 33);
  const png = (...chunks: readonly Buffer[]) =>
    Buffer.concat([header, ...chunks, chunkOf("IEND", Buffer.alloc(0))]);
  const packed = deflateSync(Buffer.alloc(30 * 21));
  const sumWrong = chunkOf("IDAT", packed);
  sumWrong.writeUInt8(sumWrong.readUInt8(20) ^ 1, 20);
  const jpeg = jpegOf(20, 30);
  const scan = jpeg.indexOf("ffda", 0, "hex");
  // A thumbnail is a JPEG in a segment, with an end of its own.
  const thumbnail = Buffer.from("ffe1000affd8ffd900000000", "hex");
  const withThumbnail = Buffer.concat([jpeg.subarray(0, 2), thumbnail, jpeg.subarray(2)]);
  const gif = gifOf(20, 30);
  const webp = webpOf("VP8 ", 20, 30);
  const broken = Buffer.from(webp);
  broken.writeUInt8(0, 23);
  const rows: readonly (readonly [string, Buffer, boolean])[] = [
    ["PNG", png(chunkOf("IDAT", packed)), true],
    [
      "PNG in two parts",
      png(chunkOf("IDAT", packed.subarray(0, 5)), chunkOf("IDAT", packed.subarray(5))),
      true,
    ],
    ["PNG of no zlib data", png(chunkOf("IDAT", Buffer.from("this is not zlib data at all"))), false],
    ["PNG that lacks a row", png(chunkOf("IDAT", deflateSync(Buffer.alloc(29 * 21)))), false],
    ["PNG whose data is cut", png(chunkOf("IDAT", packed.subarray(0, packed.length - 6))), false],
    ["PNG with a wrong checksum", png(sumWrong), false],
    ["PNG without pixels", png(), false],
    ["JPEG", withThumbnail, true],
    ["JPEG and bytes behind it", Buffer.concat([withThumbnail, Buffer.alloc(9)]), true],
    ["JPEG cut in its scan", withThumbnail.subarray(0, -3), false],
    ["JPEG without a scan", Buffer.concat([jpeg.subarray(0, scan), Buffer.from("ffd9", "hex")]), false],
    ["GIF", gif, true],
    ["GIF without a picture", Buffer.concat([gif.subarray(0, 19), Buffer.from(";")]), false],
    ["GIF cut in its picture", Buffer.concat([gif.subarray(0, 31), Buffer.from(";")]), false],
    ["WebP", webp, true],
    ["WebP without its start code", broken, false],
  ];
  for (const [name, bytes, isWhole] of rows)
    assert.deepEqual((await problem(bytes))?.[0] ?? null, isWhole ? null : "usage", name);
});

test("an interlaced PNG has the rows of seven passes", async () => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(5, 0);
  header.writeUInt32BE(3, 4);
  header.set([8, 2, 0, 0, 1], 8);
  // Pixels and rows of the passes of a picture of 5 x 3: 1 x 1, 1 x 1, none, 1 x 1 (of columns 2), 3 x 1, 2 x 2, 5 x 1.
  const bytes = [1 + 3, 1 + 3, 0, 1 + 3, 1 + 9, 2 * (1 + 6), 1 + 15].reduce((sum, one) => sum + one, 0);
  const png = (length: number) =>
    Buffer.concat([
      Buffer.from("89504e470d0a1a0a", "hex"),
      chunkOf("IHDR", header),
      chunkOf("IDAT", deflateSync(Buffer.alloc(length))),
      chunkOf("IEND", Buffer.alloc(0)),
    ]);
  assert.equal(await problem(png(bytes)), null);
  assert.equal((await problem(png(bytes - 1)))?.[0], "usage");
});

const seed = 31;
const runs = 3000;
test(`whatever follows the beginning of an image is an image, is none, or is refused in a sentence (seed ${seed}, ${runs} runs)`, async () => {
  const whole = kinds.map(([, , make]) => make(30, 20));
  const changes = fc.array(fc.tuple(fc.nat(80), fc.nat(255)), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...whole),
      changes,
      fc.uint8Array({ maxLength: 40 }),
      async (bytes, some, tail) => {
        const changed = Buffer.concat([bytes, tail]);
        for (const [at, byte] of some) if (at < changed.length) changed[at] = byte;
        const found = await problem(changed);
        if (found !== null) assert.match(found[0], /^(null|usage|limit_exceeded)$/);
      },
    ),
    { seed, numRuns: runs },
  );
});

test("what is no image stays what it was: a text, or a file of another kind", async () => {
  assert.deepEqual(await problem(Buffer.from("%PDF-1.4 and more of it")), ["null", ""]);
  const file_path = bench.put("a.pdf", "%PDF-1.4 and more of it");
  await assert.rejects(bench.call("Read", { file_path }), /is a PDF document of 23 bytes, not text/);
});
