/** Arbitrary bytes through the log decoder: no exception but a typed one, no hang, no changed prototype, and what it takes for good can be folded. */
import assert from "node:assert/strict";
import { YoiError, type LogEntry } from "@yoi/base";
import { decodeLog, jsonOfEntry, replay } from "@yoi/session-store";
import { seededRandom, type SeededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import {
  chainLines,
  sampleBytes,
  sampleJsons,
  sampleRef,
} from "../../packages/session-store/test/support/sample-log.ts";
import type { Proof } from "../support/proof.ts";

const inputsPerCase = 100;
const decodeMsMax = 1_000;
const prototypeKeys = Reflect.ownKeys(Object.prototype).length;

const tokens = [
  "null",
  "true",
  "-1",
  "1e999",
  "9007199254740993",
  '"x"',
  '""',
  "[]",
  "{}",
  '{"blob":{"sha256":"' + "0".repeat(64) + '","bytes":1}}',
  '"__proto__"',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '"\\ud800"',
  '"\\u0000"',
  "[".repeat(300) + "]".repeat(300),
] as const;

const pick = <T>(random: SeededRandom, from: readonly T[]): T =>
  from[random.below(from.length)] ?? assert.fail();

/** One JSON text with a value, a key or a piece of it replaced. */
function mutateJson(random: SeededRandom, json: string): string {
  const values = [...json.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+|true|false|null/g)];
  // An earlier change may have left nothing that could be changed.
  if (values.length === 0) return pick(random, tokens);
  const at = pick(random, values);
  const before = json.slice(0, at.index);
  const after = json.slice(at.index + at[0].length);
  switch (random.below(5)) {
    case 0:
      return before + pick(random, tokens) + after;
    case 1:
      return before + at[0].replace(/[a-z0-9]/, () => pick(random, ["_", "0", "A", "\\n"])) + after;
    case 2:
      return json.replace(
        /\}$/,
        `,${pick(random, ['"__proto__"', '"sum"', '"seq"', '"kind"', '"later"', '"item"', '"opaque"'])}:${pick(random, tokens)}}`,
      );
    case 3:
      return json.slice(0, random.below(json.length)) + json.slice(random.below(json.length));
    default:
      return json.replace(
        /"kind":"[a-z_]+"/,
        `"kind":"${pick(random, ["carried", "opened", "segment_start", "toString", "__proto__"])}"`,
      );
  }
}

function inputOf(random: SeededRandom): Buffer {
  const few = sampleJsons.slice(0, 3 + random.below(8));
  switch (random.below(4)) {
    case 0:
      return Buffer.from(random.bytes(random.below(400)));
    case 1: {
      const bytes = Buffer.from(sampleBytes.subarray(0, random.below(sampleBytes.length)));
      for (let changes = random.below(4); changes > 0 && bytes.length > 0; changes -= 1)
        bytes[random.below(bytes.length)] = random.below(256);
      return bytes;
    }
    default: {
      // Checksums are made right again, so that it is the checks behind them that must hold.
      const jsons = [...few];
      for (let changes = 1 + random.below(2); changes > 0; changes -= 1) {
        const line = random.below(jsons.length);
        jsons[line] = mutateJson(random, jsons[line] ?? "{}");
      }
      return Buffer.concat(chainLines(jsons).map((line) => line.bytes));
    }
  }
}

export interface FuzzCounts {
  /** Inputs with at least one entry, with damage, and with an entry that differs from the sample's. */
  entries: number;
  damage: number;
  changed: number;
}

export function fuzzCase(index: number, counts: FuzzCounts): void {
  const random = seededRandom(index);
  for (let input = 0; input < inputsPerCase; input += 1) {
    const bytes = inputOf(random);
    const started = performance.now();
    try {
      const log = decodeLog(bytes, { path: "/log.jsonl", ref: sampleRef });
      const whole = log.entries.filter((entry): entry is LogEntry => !("detached" in entry));
      const jsons = whole.map(jsonOfEntry);
      if (whole.length === log.entries.length && whole.length > 0) replay(whole);
      counts.entries += log.entries.length > 0 ? 1 : 0;
      counts.damage += log.damage === null ? 0 : 1;
      counts.changed += jsons.some((json, seq) => json !== sampleJsons[seq]) ? 1 : 0;
    } catch (error) {
      if (!(error instanceof YoiError))
        throw new Error(`input ${input}: ${bytes.toString("base64")}`, { cause: error });
    }
    assert.ok(performance.now() - started < decodeMsMax, `input ${input} took too long`);
    assert.equal(
      Reflect.ownKeys(Object.prototype).length,
      prototypeKeys,
      `input ${input} changed Object.prototype`,
    );
  }
}

export const logFuzz: Proof = {
  name: `session log: fuzzed decoder (${inputsPerCase} inputs a case)`,
  cases: { test: 200, prove: 10_000 },
  async check(index) {
    fuzzCase(index, { entries: 0, damage: 0, changed: 0 });
  },
};
