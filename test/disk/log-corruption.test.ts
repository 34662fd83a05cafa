/** Damaged and arbitrary bytes through the log decoder, and the controls that show these tests can fail. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sampleBytes, sampleJsons } from "../../packages/session-store/test/support/sample-log.ts";
import { proofTest } from "../support/proof.ts";
import { bitFlips, blockDamage, tornTails } from "./log-corruption.proof.ts";
import { fuzzCase, logFuzz } from "./log-fuzz.proof.ts";

proofTest(bitFlips);
proofTest(blockDamage);
proofTest(tornTails);
proofTest(logFuzz);

describe("controls", () => {
  /** What a reader without checksums takes for good: JSON lines with the right seq. */
  function naive(bytes: Buffer): string[] {
    const good: string[] = [];
    for (const line of bytes.toString("utf8").split("\n")) {
      try {
        const record = JSON.parse(line) as { seq?: unknown };
        if (record.seq !== good.length) break;
        good.push(line.replace(/,"sum":"[^"]*"\}$/, "}"));
      } catch {
        break;
      }
    }
    return good;
  }

  test("a decoder without the checksum is fooled by flipped bits", () => {
    assert.deepEqual(naive(sampleBytes), sampleJsons);
    let fooled = 0;
    let flips = 0;
    for (let byte = 0; byte < sampleBytes.length; byte += 13) {
      const bytes = Buffer.from(sampleBytes);
      bytes[byte] = (bytes[byte] ?? 0) ^ (1 << (byte % 8));
      flips += 1;
      if (naive(bytes).some((line, seq) => line !== sampleJsons[seq])) fooled += 1;
    }
    assert.ok(fooled > flips / 10, `fooled by ${fooled} of ${flips}`);
  });

  test("the fuzzer gets past the checksums: entries are accepted, changed ones too, and others refused", () => {
    const counts = { entries: 0, damage: 0, changed: 0 };
    for (let index = 0; index < 20; index += 1) fuzzCase(index, counts);
    for (const [what, count] of Object.entries(counts)) assert.ok(count > 100, `${what}: ${count} of 2000`);
  });
});
