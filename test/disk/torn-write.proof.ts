/** Sectors that a log has lost: in its last write a torn tail, in an earlier one damage, as far as the bytes behind them can show it. */
import assert from "node:assert/strict";
import { decodeLog, type DecodedLog } from "@yoi/session-store";
import { seededRandom, type SeededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import { chainLines, sampleJsons, sampleRef } from "../../packages/session-store/test/support/sample-log.ts";
import type { Proof } from "../support/proof.ts";

const sectorBytes = 512;

export interface BuiltWrite {
  readonly from: number;
  readonly to: number;
  /** The seq of its first line. */
  readonly first: number;
}

export interface BuiltLog {
  readonly bytes: Buffer;
  readonly writes: readonly BuiltWrite[];
  /** Where each line begins. */
  readonly lines: readonly number[];
}

/** A log of some writes, each of some lines, each of some length; every line has the same time. */
export function buildLog(random: SeededRandom): BuiltLog {
  const groups = [3, ...Array.from({ length: 2 + random.below(5) }, () => 1 + random.below(4))];
  const jsons = groups.flatMap((size, index) => {
    const first = groups.slice(0, index).reduce((sum, before) => sum + before, 0);
    return Array.from({ length: size }, (_, line) => {
      const seq = first + line;
      if (seq < 3) return sampleJsons[seq]?.replace(/"batch":\d+,"ts":\d+/, '"batch":0,"ts":5') ?? "";
      const text = "x".repeat(random.below(3) === 0 ? random.below(3_000) : random.below(80));
      return `{"seq":${seq},"batch":${first},"ts":5,"kind":"user_input","parts":[{"type":"text","text":"${text}"}]}`;
    });
  });
  const built = chainLines(jsons);
  const ends = built.reduce<number[]>((all, line) => [...all, (all.at(-1) ?? 0) + line.bytes.length], []);
  const lines = ends.map((end, seq) => end - (built[seq]?.bytes.length ?? 0));
  let first = 0;
  const writes = groups.map((size): BuiltWrite => {
    const write = { from: lines[first] ?? 0, to: ends[first + size - 1] ?? 0, first };
    first += size;
    return write;
  });
  return { bytes: Buffer.concat(built.map((line) => line.bytes)), writes, lines };
}

/** Zeros in the place of some sectors, within one write only. */
export function loseSectors(random: SeededRandom, bytes: Buffer, { from, to }: BuiltWrite): void {
  const sectors = Math.ceil(to / sectorBytes) - Math.floor(from / sectorBytes);
  const lost = Math.floor(from / sectorBytes) + random.below(sectors);
  const count = 1 + random.below(3);
  bytes.fill(
    0,
    Math.max(lost * sectorBytes, from),
    Math.min((lost + count) * sectorBytes, Math.ceil(to / sectorBytes) * sectorBytes, bytes.length),
  );
}

const decode = (bytes: Buffer): DecodedLog => decodeLog(bytes, { path: "/log.jsonl", ref: sampleRef });

export const tornLastWrite: Proof = {
  name: "session log: sectors lost in the last write are a torn tail, and what stays was in front of them",
  cases: { test: 2_000, prove: 200_000 },
  async check(index) {
    const random = seededRandom(index);
    const { bytes, writes, lines } = buildLog(random);
    const last = writes.at(-1) ?? assert.fail();
    loseSectors(random, bytes, last);
    const log = decode(bytes);
    assert.equal(log.damage, null, `seed ${index}`);
    assert.notEqual(log.tail.state, "none", `seed ${index}`);
    assert.ok(log.entries.length >= last.first, `seed ${index}: a synced line was cut`);
    assert.equal(log.goodBytes, lines[log.entries.length], `seed ${index}`);
  },
};

export const holeInSyncedWrite: Proof = {
  name: "session log: sectors lost in an earlier write are damage, as long as the head of a later line is there",
  cases: { test: 2_000, prove: 200_000 },
  async check(index) {
    const random = seededRandom(index);
    const { bytes, writes, lines } = buildLog(random);
    const whole = Buffer.from(bytes);
    const hit = 1 + random.below(writes.length - 2);
    loseSectors(random, bytes, writes[hit] ?? assert.fail());
    const log = decode(bytes);
    const shown = writes.slice(hit + 1).some(({ first, to }) =>
      lines.some((at, seq) => {
        // Its head, and the LF in front of it.
        const [start, end] = [at - 1, at + 60];
        return seq >= first && at < to && bytes.subarray(start, end).equals(whole.subarray(start, end));
      }),
    );
    if (shown) assert.notEqual(log.damage, null, `seed ${index}: acknowledged lines were taken for torn`);
    assert.ok(log.entries.length >= (writes[hit]?.first ?? 0), `seed ${index}`);
  },
};
