/** Standard input: text up to its limit, and what is no text said so. */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import test from "node:test";
import { YoiError } from "@yoi/base";
import { promptBytesMax, readStdin } from "../src/environment.ts";

const { signal } = new AbortController();

function chunks(...parts: readonly Uint8Array[]): Readable {
  return Readable.from(parts);
}

test("characters may be split over chunks", async () => {
  const bytes = Buffer.from("aé日");
  const split = Array.from(bytes, (byte) => Buffer.from([byte]));
  assert.deepEqual(await readStdin(signal, chunks(...split)), { text: "aé日", replaced: false });
  assert.deepEqual(await readStdin(signal, chunks()), { text: "", replaced: false });
});

test("bytes that are not UTF-8 are replaced, and that is told", async () => {
  assert.deepEqual(await readStdin(signal, chunks(Buffer.from([0x61, 0xff]))), {
    text: "a\ufffd",
    replaced: true,
  });
});

test("a prompt at the limit is read, one byte more is refused", async () => {
  const most = Buffer.alloc(promptBytesMax, "x");
  assert.equal((await readStdin(signal, chunks(most))).text.length, promptBytesMax);
  await assert.rejects(
    readStdin(signal, chunks(most, Buffer.from("y"))),
    (error) => error instanceof YoiError && error.code === "usage",
  );
});

test("a signal that aborts ends the reading with its reason, and closes what was read", async () => {
  const reason = new Error("stopped");
  for (const aborted of [true, false]) {
    const controller = new AbortController();
    const silent = new Readable({ read: () => undefined });
    if (aborted) controller.abort(reason);
    const reading = readStdin(controller.signal, silent);
    controller.abort(reason);
    await assert.rejects(reading, (error) => error === reason);
    assert.equal(silent.destroyed, !aborted);
  }
});
