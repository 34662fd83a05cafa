/** The value of a secret from standard input: one line end is the shell's, everything else is the value. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import { valueOf } from "../src/read-secret.ts";

test("one line end behind the value is left out, and nothing else", () => {
  const table: readonly [string, string][] = [
    ["key", "key"],
    ["key\n", "key"],
    ["key\r\n", "key"],
    ["key\n\n", "key\n"],
    [" key ", " key "],
    ["\u{1f511}", "\u{1f511}"],
  ];
  for (const [text, value] of table) assert.equal(valueOf(Buffer.from(text)), value);
});

test("nothing, and bytes that are no text, are refused", () => {
  for (const bytes of [[], [0x0a], [0xff], [0x6b, 0xc3]])
    assert.throws(
      () => valueOf(Uint8Array.from(bytes)),
      (error) => error instanceof YoiError && error.code === "usage",
    );
});
