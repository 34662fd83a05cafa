/** Images: what is one by its bytes, how large it is, and what is refused. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { YoiError } from "@yoi/base";
import fc from "fast-check";
import { imageBytesMax, imageOf, imageSideMax } from "../src/image-file.ts";
import { gifOf, jpegOf, pngOf, webpOf } from "./pictures.ts";
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
