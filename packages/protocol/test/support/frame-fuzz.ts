/** Frame fuzz: inputs made from valid lines and from nothing, and what must hold for each, whoever reads it. */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { escapeControls } from "@yoi/base";
import { seededRandom, type SeededRandom } from "../../../host/src/memory/seeded-random.ts";
import {
  BadPodLine,
  BadRequest,
  encodeLine,
  LineReader,
  LineTooLong,
  readHello,
  readPodLine,
  readRequest,
  readResult,
} from "../../src/index.ts";
import { answers, calls, events, hello } from "./sample-lines.ts";

/** What is fuzzed: the real ones, or a control's. */
export interface Readers {
  readonly lines: (bytesMax: number) => Pick<LineReader, "take">;
  readonly hello: (line: Uint8Array) => unknown;
  readonly request: (line: Uint8Array) => unknown;
  readonly podLine: (line: Uint8Array) => unknown;
}
export const realReaders: Readers = {
  lines: (max) => new LineReader(max),
  hello: readHello,
  request: readRequest,
  podLine: (line) => {
    const said = readPodLine(line);
    if (!("result" in said)) return said;
    const method = calls.find(({ id }) => id === said.id)?.method ?? "hello";
    return { said, result: readResult(method, said.result) };
  },
};

export interface FuzzCounts {
  /** Lines that were taken as a hello, a request, a Pod's, and refused by all three; inputs that had a line that was too long. */
  hello: number;
  request: number;
  podLine: number;
  refused: number;
  tooLong: number;
}
export const noCounts = (): FuzzCounts => ({ hello: 0, request: 0, podLine: 0, refused: 0, tooLong: 0 });

const bytesMax = 4 * 1024;
const inputMsMax = 1_000;
const sentenceCharsMax = 400;
const objectFields = Reflect.ownKeys(Object.prototype).length;

const texts = [hello, ...calls, ...events, ...answers].map((said) =>
  Buffer.from(encodeLine(said)).toString().trimEnd(),
);
/** Where the names and values of each stand. */
const places = texts.map((text) => [...text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+|true|false|null/g)]);

const nested = (depth: number, open = "[", close = "]"): string => open.repeat(depth) + close.repeat(depth);
const deepest = nested(100_000);
const tokens: readonly string[] = [
  "null",
  "true",
  "-1",
  "-0",
  "1.5",
  "1e999",
  "-1e-999",
  "9007199254740993",
  "9".repeat(400),
  '""',
  '"x"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\u2028"',
  '"\u202e\\u001b]0;x\\u0007"',
  JSON.stringify("x".repeat(200)),
  JSON.stringify("x".repeat(bytesMax)),
  "[]",
  "{}",
  "[[{}]]",
  '"__proto__"',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"toString":1,"hasOwnProperty":null,"then":{}}',
  nested(130),
  nested(200, '{"a":', "}").replace("}", "1}"),
];
const names: readonly string[] = [
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"id"',
  '"method"',
  '"params"',
  '"event"',
  '"error"',
  '"opaque"',
  '"type"',
  '"kind"',
];
const fragments: readonly Uint8Array[] = [
  [0x00],
  [0x0a],
  [0x0d],
  [0x22],
  [0x5c],
  [0x7b],
  [0x5d],
  [0xc0, 0x80],
  [0xe2, 0x80, 0xa8],
  [0xe2, 0x80],
  [0xed, 0xa0, 0x80],
  [0xef, 0xbb, 0xbf],
  [0xf4, 0x90, 0x80, 0x80],
  [0xff],
].map((bytes) => Uint8Array.from(bytes));

function pick<T>(random: SeededRandom, from: readonly T[]): T {
  const picked = from[random.below(from.length)];
  assert.ok(picked !== undefined);
  return picked;
}

/** One JSON text with a name or a value taken out, put in twice, or made into another. */
function mutatedText(random: SeededRandom): string {
  const index = random.below(texts.length);
  const text = texts[index] ?? "";
  const place = pick(random, places[index] ?? []);
  const before = text.slice(0, place.index);
  const after = text.slice(place.index + place[0].length);
  switch (random.below(7)) {
    case 0:
      return before + pick(random, tokens) + after;
    case 1:
      // A name with its value, and the comma behind it: gone.
      return before + after.replace(/^:(?:"(?:[^"\\]|\\.)*"|[\w.-]+),?/, "");
    case 2:
      return before + pick(random, names) + after;
    case 3:
      return `${text.slice(0, -1)},${pick(random, names)}:${pick(random, tokens)}}`;
    case 4:
      return text.replace("{", `{${pick(random, names)}:${pick(random, tokens)},`);
    case 5: {
      const other = random.below(texts.length);
      const value = pick(random, places[other] ?? [])[0];
      return before + value + after;
    }
    default:
      return random.below(60) === 0 ? before + deepest + after : text;
  }
}

function mutatedBytes(random: SeededRandom, text: string): Buffer {
  let bytes = Buffer.from(text);
  for (let changes = random.below(3); changes > 0 && bytes.length > 0; changes -= 1) {
    const at = random.below(bytes.length);
    switch (random.below(3)) {
      case 0:
        bytes[at] = random.below(256);
        break;
      case 1:
        bytes = Buffer.concat([bytes.subarray(0, at), pick(random, fragments), bytes.subarray(at)]);
        break;
      default:
        bytes = bytes.subarray(0, at);
    }
  }
  return bytes;
}

function inputOf(random: SeededRandom): Buffer {
  if (random.below(8) === 0) return Buffer.from(random.bytes(random.below(200)));
  const lines: Uint8Array[] = [];
  for (let count = 1 + random.below(2); count > 0; count -= 1) {
    const text = mutatedText(random);
    lines.push(random.below(3) === 0 ? mutatedBytes(random, text) : Buffer.from(text));
    if (random.below(10) > 0) lines.push(Buffer.of(0x0a));
  }
  return Buffer.concat(lines);
}

/** The lines of `bytes` when they come in such pieces, and whether one was too long. */
function linesIn(bytes: Buffer, reader: Pick<LineReader, "take">, nextPiece: () => number) {
  const lines: Uint8Array[] = [];
  try {
    for (let at = 0; at < bytes.length;) {
      const size = nextPiece();
      for (const line of reader.take(bytes.subarray(at, at + size))) lines.push(line);
      at += size;
    }
    return { lines, tooLong: false };
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    return { lines, tooLong: true };
  }
}

/** Every object in it is a plain one: no reader let a name of the input become a prototype. */
function assertPlain(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const prototype: unknown = Object.getPrototypeOf(value);
  assert.ok(
    prototype === Object.prototype || prototype === Array.prototype,
    "a value has another prototype than its own",
  );
  for (const field of Object.values(value)) assertPlain(field);
}

/** What a reader makes of a line: a value that is plain, or its refusal, which can be said. Null: refused. */
function outcome(read: (line: Uint8Array) => unknown, line: Uint8Array): { readonly value: unknown } | null {
  let value: unknown;
  try {
    value = read(line);
  } catch (error) {
    if (!(error instanceof BadRequest || error instanceof BadPodLine)) throw error;
    assert.ok(error.message.length <= sentenceCharsMax, error.message);
    assert.equal(escapeControls(error.message), error.message);
    assert.ok(error.message.endsWith("."));
    if (error instanceof BadRequest) {
      const answer = { id: error.id, error: error.error };
      assert.ok(isDeepStrictEqual(readPodLine(encodeLine(answer)), answer));
    }
    return null;
  }
  assertPlain(value);
  return { value };
}

/** @param all by every reader, and not only by those of the side that it looks like. */
function checkLine(line: Uint8Array, readers: Readers, counts: FuzzCounts, all: boolean): void {
  assert.ok(line.length > 0 && line.length <= bytesMax && !line.includes(0x0a));
  const isClients = Buffer.from(line).includes('"method"');
  const hello = all || isClients ? outcome(readers.hello, line) : null;
  const request = all || isClients ? outcome(readers.request, line) : null;
  const podLine = all || !isClients ? outcome(readers.podLine, line) : null;
  counts.hello += hello === null ? 0 : 1;
  counts.request += request === null ? 0 : 1;
  counts.podLine += podLine === null ? 0 : 1;
  counts.refused += hello === null && request === null && podLine === null ? 1 : 0;
  // What was taken is what would be said: it is read as itself again.
  if (request !== null) {
    const again = readers.request(Buffer.from(JSON.stringify(request.value)));
    assert.ok(isDeepStrictEqual(again, request.value), "a request is read as another when it is said again");
  }
}

/** Checks input `seed` of the property; throws when it does not hold. */
export function checkInput(seed: number, readers: Readers, counts: FuzzCounts): void {
  const random = seededRandom(seed);
  const bytes = inputOf(random);
  const started = process.cpuUsage();
  try {
    const whole = linesIn(bytes, readers.lines(bytesMax), () => bytes.length);
    // Byte by byte, or in pieces of any size; a large input in larger ones.
    const most = (random.below(8) === 0 ? 1 : 200) * Math.ceil(bytes.length / 10_000);
    const pieces = linesIn(bytes, readers.lines(bytesMax), () => 1 + random.below(most));
    assert.ok(isDeepStrictEqual(pieces, whole), "other pieces make other lines");
    counts.tooLong += whole.tooLong ? 1 : 0;
    for (const line of whole.lines) checkLine(line, readers, counts, random.below(8) === 0);
    // What is too long for these lines is not too long for a frame.
    if (whole.tooLong) for (const line of new LineReader(1 << 20).take(bytes)) outcome(readers.request, line);
    assert.equal(Reflect.ownKeys(Object.prototype).length, objectFields, "Object.prototype was changed");
    const { user, system } = process.cpuUsage(started);
    assert.ok((user + system) / 1_000 < inputMsMax, "it took too long");
  } catch (cause) {
    const shown = bytes.subarray(0, 4_096).toString("base64");
    throw new Error(`input ${seed} (${bytes.length} bytes, from ${shown})`, { cause });
  }
}
