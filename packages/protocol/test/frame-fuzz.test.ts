/** 20,000 inputs to what reads frames, and readers that are not good enough for them. */
import assert from "node:assert/strict";
import test from "node:test";
import { BadRequest } from "../src/index.ts";
import { checkInput, type FuzzCounts, noCounts, realReaders, type Readers } from "./support/frame-fuzz.ts";

const inputs = 20_000;

test(`${inputs} inputs (seeds 0 to ${inputs - 1}): each is a value, or refused in one sentence; no other exception, no changed prototype, no hang`, () => {
  const counts: FuzzCounts = noCounts();
  // Most inputs are refused, and nobody reads the stacks, which are dear. Nothing else runs meanwhile.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    for (let seed = 0; seed < inputs; seed += 1) checkInput(seed, realReaders, counts);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  // It is the checks behind the parser that must hold: enough gets to each of them.
  for (const [what, count] of Object.entries(counts)) assert.ok(count > inputs / 400, `${what}: ${count}`);
});

const refused = (): never => {
  throw new BadRequest(null, { code: "invalid_request", message: "It is not taken." });
};
const readingWith = (request: (line: Uint8Array) => unknown): Readers => ({
  lines: realReaders.lines,
  hello: refused,
  podLine: refused,
  request,
});

/** Refuses what is no JSON object, as the real one does. */
function objectOf(line: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(line).toString());
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    return refused();
  }
  return refused();
}

/** A deep copy as it is often written. */
function copied(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) copy[key] = copied(field);
  return copy;
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test("readers that are not good enough are found out (controls)", () => {
  const controls: readonly (readonly [string, Readers, RegExp])[] = [
    [
      "lets the parser throw",
      readingWith((line) => JSON.parse(Buffer.from(line).toString())),
      /^SyntaxError/,
    ],
    [
      "copies fields by their names",
      readingWith((line) => copied(objectOf(line))),
      /a value has another prototype than its own/,
    ],
    [
      "takes a method from wherever it comes",
      readingWith((line) => {
        const { method } = objectOf(line);
        const known: Record<string, object> = { show: {}, ping: {} };
        return typeof method === "string" ? { method, params: known[method] ?? refused() } : refused();
      }),
      /a value has another prototype than its own/,
    ],
    [
      "walks into whatever depth there is",
      readingWith((line) => (depthOf(objectOf(line)) > 128 ? refused() : refused())),
      /^RangeError/,
    ],
    [
      "takes each piece for whole characters and lines",
      {
        ...readingWith(refused),
        lines: () => ({
          take: (bytes) =>
            Buffer.from(bytes)
              .toString()
              .split(/[\n\u2028]/)
              .filter((line) => line !== "")
              .map((line) => Buffer.from(line)),
        }),
      },
      /other pieces make other lines/,
    ],
  ];
  for (const [what, readers, failure] of controls) {
    let found = false;
    for (let seed = 0; seed < inputs && !found; seed += 1) {
      try {
        checkInput(seed, readers, noCounts());
      } catch (error) {
        found = error instanceof Error && failure.test(String(error.cause));
      }
    }
    assert.ok(found, what);
  }
});
