/** A log whose bytes changed on the disk: never a wrong entry taken for good, never an acknowledged one dropped for a damaged newline. */
import assert from "node:assert/strict";
import { YoiError } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { createSessionStore, decodeLog, jsonOfEntry, segmentPath, type DecodedLog } from "@yoi/session-store";
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import {
  sampleBytes,
  sampleJsons,
  sampleLines,
  sampleRef,
} from "../../packages/session-store/test/support/sample-log.ts";
import type { Proof } from "../support/proof.ts";

const options = { path: "/log.jsonl", ref: sampleRef };

/** The good entries are the first ones of the sample log, to the byte. */
function assertPrefix(log: DecodedLog, where: string): void {
  assert.deepEqual(
    log.entries.map((entry) => ("detached" in entry ? "detached" : jsonOfEntry(entry))),
    sampleJsons.slice(0, log.entries.length),
    where,
  );
}

const lineOfByte: readonly number[] = sampleLines.flatMap((line, index) =>
  Array.from({ length: line.bytes.length }, () => index),
);

/** Each byte once, the first cases all over the log: the step is prime to the length. */
const spread = (index: number): number => (index * 3_571) % sampleBytes.length;

export const bitFlips: Proof = {
  name: "session log: every bit flipped",
  cases: { test: 1_000, prove: sampleBytes.length },
  async check(index) {
    const byte = spread(index);
    const line = lineOfByte[byte] ?? assert.fail();
    for (let bit = 0; bit < 8; bit += 1) {
      const bytes = Buffer.from(sampleBytes);
      bytes[byte] = (bytes[byte] ?? 0) ^ (1 << bit);
      const log = decodeLog(bytes, options);
      const where = `bit ${bit} of byte ${byte}, line ${line + 1}`;
      assert.equal(log.entries.length, line, where);
      assertPrefix(log, where);
      if (byte === sampleBytes.length - 1) assert.equal(log.tail.state, "whole", where);
      else assert.equal(log.damage?.line, line + 1, where);
    }
  },
};

export const blockDamage: Proof = {
  name: "session log: blocks of zeros or garbage",
  cases: { test: 3_000, prove: 400_000 },
  async check(index) {
    const random = seededRandom(index);
    const length = [1, 2, 16, 512, 4_096][random.below(5)] ?? 1;
    const from = random.below(2) === 0 ? random.below(sampleBytes.length) : random.below(15) * 512;
    const bytes = Buffer.from(sampleBytes);
    const to = Math.min(from + length, bytes.length);
    for (let at = from, zero = random.below(2) === 0; at < to; at += 1)
      bytes[at] = zero ? 0 : random.below(256);
    const log = decodeLog(bytes, options);
    assertPrefix(log, `block ${from} to ${to}`);
    const first = bytes.equals(sampleBytes)
      ? sampleLines.length
      : lineOfByte.findIndex((_, at) => bytes[at] !== sampleBytes[at]);
    const untouched = bytes.equals(sampleBytes) ? first : (lineOfByte[first] ?? 0);
    assert.ok(log.entries.length >= untouched, `an entry before block ${from} to ${to} was dropped`);
  },
};

export const tornTails: Proof = {
  name: "session log: torn at every byte, repaired by its owner",
  cases: { test: 400, prove: sampleBytes.length },
  async check(index) {
    const cut = spread(index);
    const host = memoryHost({ seed: index });
    const store = createSessionStore({ files: host.files, clock: host.clock, dataDir: "/data" });
    const path = segmentPath("/data", sampleRef);
    await host.files.makeDirectory(`/data/sessions/${sampleRef.session}`);
    await host.files.replace(path, sampleBytes.subarray(0, cut));
    const lines = lineOfByte[cut] ?? assert.fail();
    const inLine = cut - lineOfByte.indexOf(lines);
    const whole = inLine === (sampleLines[lines]?.bytes.length ?? 0) - 1;
    const good = lines + (whole ? 1 : 0);
    const opened = await store
      .open(sampleRef, { metadataEpoch: 0, version: "0.1.0" })
      .catch((error: unknown) => error);
    // The write that makes a segment ends in `opened`, so a start whose last line has no LF was acknowledged to nobody.
    if (lines < 2) {
      assert.ok(
        opened instanceof YoiError && opened.code === "io_failed",
        "a segment that is not ready was opened",
      );
      return;
    }
    if (opened instanceof Error) throw opened;
    const view = await store.read(sampleRef);
    assert.deepEqual([view.damage, view.tailBytes, view.entries.length], [null, 0, good + 1]);
    assert.deepEqual(view.entries.slice(0, good).map(jsonOfEntry), sampleJsons.slice(0, good));
    const torn = await host.files.read(path.replace(/\.jsonl$/, ".torn"));
    assert.deepEqual(
      Buffer.from(torn ?? []).toString("latin1"),
      whole ? "" : sampleBytes.toString("latin1", cut - inLine, cut),
    );
  },
};
