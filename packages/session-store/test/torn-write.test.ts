/** Lost sectors: what a power cut leaves of the last write is a tail, a hole in what was synced is damage. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decodeLog } from "../src/index.ts";
import { chainLines, sampleJsons, sampleRef, type BuiltLine } from "./support/sample-log.ts";

const decode = (bytes: Buffer) => decodeLog(bytes, { path: "/log.jsonl", ref: sampleRef });
const joined = (lines: readonly BuiltLine[]) => Buffer.concat(lines.map((line) => line.bytes));

describe("sectors that are missing", () => {
  /** The sample log with the lines from `first` on in one write. */
  const withLastWrite = (first: number) =>
    chainLines(
      sampleJsons.map((json, seq) => (seq < first ? json : json.replace(/"batch":\d+/, `"batch":${first}`))),
    );
  const oneWrite = withLastWrite(6);
  const bytes = joined(oneWrite);
  const synced = joined(oneWrite.slice(0, 6)).length;
  const withoutSector = (log: Buffer, sector: number, from = 0): Buffer => {
    const to = Math.min((sector + 1) * 512, log.length);
    return Buffer.from(log).fill(0, Math.max(sector * 512, from), to);
  };
  /** One more write behind the last one; its first bytes are enough to show it. */
  const later = joined(
    chainLines(
      [`{"seq":${oneWrite.length},"batch":${oneWrite.length},"ts":1,"kind":"segment_ready"}`],
      oneWrite.at(-1)?.sum,
    ),
  );

  test("anywhere in the last write are a torn tail; what is good before them stays", () => {
    for (let lost = Math.floor(synced / 512); lost * 512 < bytes.length; lost += 1) {
      const log = decode(withoutSector(bytes, lost, synced));
      assert.equal(log.damage, null, `sector ${lost}`);
      assert.equal(log.tail.state, "torn");
      assert.deepEqual(
        log.sums,
        oneWrite.slice(0, log.entries.length).map((line) => line.sum),
      );
      assert.ok(log.entries.length >= 6);
    }
  });

  test("in front of the beginning of a later write are damage, whatever is left of that one", () => {
    const head = '{"seq":34,"batch":34,"ts":';
    assert.ok(later.toString().startsWith(head));
    for (const length of [head.length, later.length - 1, later.length]) {
      const log = Buffer.concat([bytes, later.subarray(0, length)]);
      // The last sector of the write may hold the later one's head too: then nothing shows it.
      for (let lost = Math.floor(synced / 512); (lost + 1) * 512 <= bytes.length; lost += 1) {
        const { damage, entries } = decode(withoutSector(log, lost, synced));
        assert.match(damage?.reason ?? "", /checksum/, `sector ${lost}, ${length} bytes of the later write`);
        assert.ok(entries.length >= 6);
      }
    }
    const tooLittle = Buffer.concat([bytes, later.subarray(0, head.length - 7)]);
    assert.equal(decode(withoutSector(tooLittle, 5)).damage, null, "control: no head, nothing to see");
  });

  test("in the write before the last are damage, even where both have the same time", () => {
    const sameTime = chainLines(sampleJsons.map((json) => json.replace(/"ts":\d+/, '"ts":1767225600000')));
    const log = joined(sameTime);
    const call = joined(sameTime.slice(0, 18)).length;
    const sector = Math.floor(joined(sameTime.slice(0, 17)).length / 512) + 1;
    assert.ok((sector + 1) * 512 <= log.length && call > 0);
    assert.match(decode(withoutSector(log, sector)).damage?.reason ?? "", /checksum/);
  });

  test("beside a changed byte in the same line are damage", () => {
    const log = withoutSector(bytes, 8);
    assert.equal(decode(log).damage, null);
    const { goodBytes } = decode(log);
    log[goodBytes + 40] = 0;
    assert.match(decode(log).damage?.reason ?? "", /checksum/);
  });
});
