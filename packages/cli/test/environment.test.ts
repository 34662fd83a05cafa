/** Standard input: text up to its limit, and what is no text said so. */
import assert from "node:assert/strict";
import test from "node:test";
import { YoiError } from "@yoi/base";
import { promptBytesMax, readStdin } from "../src/environment.ts";

async function* chunks(...parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

test("characters may be split over chunks", async () => {
  const bytes = Buffer.from("aé日");
  const split = Array.from(bytes, (byte) => Buffer.from([byte]));
  assert.deepEqual(await readStdin(chunks(...split)), { text: "aé日", replaced: false });
  assert.deepEqual(await readStdin(chunks()), { text: "", replaced: false });
});

test("bytes that are not UTF-8 are replaced, and that is told", async () => {
  assert.deepEqual(await readStdin(chunks(Buffer.from([0x61, 0xff]))), { text: "a\ufffd", replaced: true });
});

test("a prompt at the limit is read, one byte more is refused", async () => {
  const most = Buffer.alloc(promptBytesMax, "x");
  assert.equal((await readStdin(chunks(most))).text.length, promptBytesMax);
  await assert.rejects(
    readStdin(chunks(most, Buffer.from("y"))),
    (error) => error instanceof YoiError && error.code === "usage",
  );
});
