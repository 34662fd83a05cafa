/** The line reader: LF and nothing else ends a line, a limit holds before bytes are kept, and long lines are put together once. */
import assert from "node:assert/strict";
import test from "node:test";
import { frameBytesMax, helloBytesMax, LineReader, LineTooLong } from "../src/index.ts";

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const linesOf = (reader: LineReader, bytes: Uint8Array | string): readonly string[] =>
  [...reader.take(Buffer.from(bytes))].map(text);

/** Lines up to the one that is too long, and then nothing more. */
function linesAndEnd(reader: LineReader, bytes: Uint8Array | string): readonly (string | number)[] {
  const seen: (string | number)[] = [];
  try {
    for (const line of reader.take(Buffer.from(bytes))) seen.push(text(line));
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    seen.push(error.bytesMax);
  }
  return seen;
}

test("lines end at LF alone; CR stays, and blank lines are left out", () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["", []],
    ["\n\n", []],
    [" \t\r\n", []],
    ["a\nb\n", ["a", "b"]],
    ["a\r\nb", ["a\r"]],
    ["a\u2028b\u2029c\u0085d\n", ["a\u2028b\u2029c\u0085d"]],
    ["a\u0000b\n", ["a\u0000b"]],
    // 0x0a is never part of a character of UTF-8; an unfinished one does not take the LF with it.
    ["ü\n", ["ü"]],
  ];
  for (const [bytes, lines] of rows) assert.deepEqual(linesOf(new LineReader(64), bytes), lines);
  assert.deepEqual([...new LineReader(64).take(Uint8Array.of(0xe2, 0x0a))], [Uint8Array.of(0xe2)]);
});

test("whichever way the bytes come in pieces, the lines are the same", () => {
  const bytes = Buffer.from('{"a":"ü"}\n\n{"b":2}\r\n{}\n{"open":');
  const lines = ['{"a":"ü"}', '{"b":2}\r', "{}"];
  for (let size = 1; size <= bytes.length; size += 1) {
    const reader = new LineReader(11);
    const seen: string[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      seen.push(...linesOf(reader, bytes.subarray(at, at + size)));
    }
    assert.deepEqual([size, seen], [size, lines]);
    assert.deepEqual(linesOf(reader, "1}\n"), ['{"open":1}']);
  }
});

test("a line has at most bytesMax bytes: n is given, n + 1 is refused, whether its LF has come or not", () => {
  for (const max of [1, 16, helloBytesMax, frameBytesMax]) {
    const whole = Buffer.alloc(max + 1, "x");
    whole[max] = 0x0a;
    assert.deepEqual(
      linesOf(new LineReader(max), whole).map((line) => line.length),
      [max],
    );
    const over = Buffer.alloc(max + 1, "x");
    assert.deepEqual(linesAndEnd(new LineReader(max), over), [max]);
    assert.deepEqual(linesAndEnd(new LineReader(max), Buffer.concat([over, Buffer.from("\n")])), [max]);
    const reader = new LineReader(max);
    assert.deepEqual(linesOf(reader, over.subarray(1)), []);
    assert.deepEqual(linesAndEnd(reader, "x"), [max]);
  }
});

test("behind a line that was too long there is nothing: its end is not taken for a line", () => {
  const reader = new LineReader(4);
  assert.deepEqual(linesAndEnd(reader, "ok\nlonger\nok\n"), ["ok", 4]);
  assert.deepEqual(linesAndEnd(reader, "ok\n"), [4]);
  assert.deepEqual(linesAndEnd(reader, ""), [4]);
});

test("the limit of the next line may be set while the lines of a piece are taken", () => {
  const reader = new LineReader(4);
  const seen: string[] = [];
  for (const line of reader.take(Buffer.from("hi\nlonger than that\n"))) {
    seen.push(text(line));
    reader.bytesMax = 64;
  }
  assert.deepEqual(seen, ["hi", "longer than that"]);
});

test("who stops in the middle of a piece gets the rest with the next", () => {
  const reader = new LineReader(64);
  for (const line of reader.take(Buffer.from("a\nb\nc"))) {
    assert.equal(text(line), "a");
    break;
  }
  assert.deepEqual(linesOf(reader, "d\n"), ["b", "cd"]);
});

/** Bytes of a line that change when its pieces are changed after they were taken: those that were not copied yet. */
function uncopied(pieceBytes: number, pieces: number): number {
  const reader = new LineReader(frameBytesMax);
  const given = Array.from({ length: pieces }, () => Buffer.alloc(pieceBytes, "x"));
  for (const piece of given) assert.deepEqual([...reader.take(piece)], []);
  for (const piece of given) piece.fill("y");
  const [line = Buffer.alloc(0)] = reader.take(Buffer.from("\n"));
  assert.equal(line.length, pieceBytes * pieces);
  return line.reduce((sum, byte) => sum + (byte === 0x79 ? 1 : 0), 0);
}

test("a line in one piece is a view of it, one in large pieces is copied once, at its end; small pieces are gathered", () => {
  const piece = Buffer.from("first\nsecond\n");
  const lines = [...new LineReader(64).take(piece)];
  assert.deepEqual(
    lines.map((line) => line.buffer === piece.buffer && line.byteOffset - piece.byteOffset),
    [0, 6],
  );
  assert.equal(uncopied(64 * 1024, 16), 1024 * 1024);
  assert.equal(uncopied(4_096, 10), 40_960);
  assert.equal(uncopied(4_095, 10), 0);
  assert.equal(uncopied(1, 20_000), 0);
});

test("a small piece before a large one keeps its place in the line", () => {
  const reader = new LineReader(1_000_000);
  const pieces = ["a".repeat(10), "b".repeat(8_000), "c".repeat(10), "d".repeat(5_000), "e"];
  for (const piece of pieces) assert.deepEqual(linesOf(reader, piece), []);
  assert.deepEqual(linesOf(reader, "\n"), [pieces.join("")]);
});
