/** The decoder takes good lines for good, and nothing else: tails, damage and strange files each get their verdict. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import fc from "fast-check";
import { continuedLogSchema, isKnown, jsonDepthMax, segmentId, YoiError, type EntryKind } from "@yoi/base";
import { decodeLog, jsonOfEntry } from "../src/index.ts";
import { encodeLine, noSum } from "../src/line.ts";
import { inboxBytes, inboxEntries, inboxLines } from "./support/inbox-log.ts";
import {
  chainLines,
  sampleBytes,
  sampleEntries,
  sampleJsons,
  sampleLines,
  sampleRef,
} from "./support/sample-log.ts";

const path = "/log.jsonl";
const decode = (bytes: Buffer) => decodeLog(bytes, { path, ref: sampleRef });
const joined = (lines: readonly { readonly bytes: Buffer }[]) =>
  Buffer.concat(lines.map((line) => line.bytes));
const offsetOf = (line: number) => joined(sampleLines.slice(0, line)).length;

test("the sample log has every kind that the first version wrote, and 6 to 8 KB", () => {
  type Later =
    | "projection"
    | "inbox_accepted"
    | "extension"
    | "turn_rolled_back"
    | "approval_asked"
    | "approval_answered"
    | "child_cursor"
    | "carried"
    | "quarantined"
    | "compaction_begun"
    | "compacted"
    | "input_queued"
    | "input_unqueued"
    | "user_command";
  const kinds: Record<Exclude<EntryKind, Later>, true> = {
    segment_start: true,
    segment_ready: true,
    opened: true,
    invoke: true,
    user_input: true,
    assistant_item: true,
    assistant_partial: true,
    tool_started: true,
    tool_result: true,
    system_item: true,
    tools_changed: true,
    llm_request: true,
    llm_usage: true,
    turn_end: true,
    run_paused: true,
    run_completed: true,
    run_errored: true,
    config_changed: true,
  };
  assert.deepEqual([...new Set(sampleEntries.map((entry) => entry.kind))].sort(), Object.keys(kinds).sort());
  assert.ok(sampleBytes.length >= 6_000 && sampleBytes.length <= 8_192, `${sampleBytes.length} bytes`);
});

test("a whole log decodes to its entries, sums and offsets, frozen", () => {
  const log = decode(sampleBytes);
  assert.deepEqual(log, {
    entries: sampleEntries,
    sums: sampleLines.map((line) => line.sum),
    offsets: sampleLines.map((_, index) => offsetOf(index)),
    goodBytes: sampleBytes.length,
    damage: null,
    tail: { state: "none", bytes: 0 },
  });
  const [start] = log.entries;
  assert.ok(start !== undefined && Object.isFrozen(start) && !("detached" in start));
  assert.ok(isKnown(start) && start.kind === "segment_start" && Object.isFrozen(start.config));
});

test("truncated at every byte: the complete lines, and the rest as a tail", () => {
  let lines = 0;
  for (let cut = 0; cut <= sampleBytes.length; cut += 1) {
    if (cut > 0 && sampleBytes[cut - 1] === 0x0a) lines += 1;
    const good = offsetOf(lines);
    const log = decode(sampleBytes.subarray(0, cut));
    const missing = sampleLines[lines];
    const whole = missing !== undefined && cut - good === missing.bytes.length - 1;
    assert.deepEqual(
      [log.entries.length, log.goodBytes, log.damage, log.tail],
      [
        lines,
        good,
        null,
        cut === good
          ? { state: "none", bytes: 0 }
          : whole
            ? { state: "whole", bytes: cut - good, lineBytes: cut - good }
            : { state: "torn", bytes: cut - good },
      ],
      `cut at ${cut}`,
    );
  }
});

test("a damaged last newline does not cost the entry before it", () => {
  const { length } = sampleBytes;
  const last = length - offsetOf(sampleLines.length - 1);
  for (let byte = 0; byte < 256; byte += 1) {
    if (byte === 0x0a) continue;
    const bytes = Buffer.from(sampleBytes);
    bytes[length - 1] = byte;
    const log = decode(bytes);
    assert.deepEqual(log.damage, null);
    assert.deepEqual(log.tail, { state: "whole", bytes: last, lineBytes: last - 1 });
  }
});

describe("verdicts", () => {
  const swapped = [...sampleLines];
  [swapped[5], swapped[6]] = [sampleLines[6] ?? assert.fail(), sampleLines[5] ?? assert.fail()];
  const line9 = sampleLines[9]?.bytes ?? assert.fail();
  const upperCase = Buffer.from(sampleBytes);
  const sumAt = offsetOf(10) - 19;
  const letter = sampleBytes.toString("latin1", sumAt, sumAt + 16).search(/[a-f]/);
  upperCase[sumAt + letter] = (upperCase[sumAt + letter] ?? 0) - 0x20;
  const foreign = decodeLogOf({ ...sampleRef, segment: segmentId("019b76da-a800-74af-8ffd-2cdf7a317f48") });
  function decodeLogOf(ref: typeof sampleRef) {
    return (bytes: Buffer) => decodeLog(bytes, { path, ref });
  }
  const zeros = (from: number, to: number) => Buffer.from(sampleBytes).fill(0, from, to);

  const cases: [string, Buffer, { good: number; damage?: RegExp; tail?: number }][] = [
    ["empty file", Buffer.alloc(0), { good: 0 }],
    ["only a newline", Buffer.from("\n"), { good: 0, damage: /checksum/ }],
    ["text", Buffer.from("hello\nworld\n"), { good: 0, damage: /checksum/ }],
    ["zero tail", Buffer.concat([sampleBytes, Buffer.alloc(700)]), { good: sampleLines.length, tail: 700 }],
    [
      "blank line",
      Buffer.concat([sampleBytes, Buffer.from("\n")]),
      { good: sampleLines.length, damage: /checksum/ },
    ],
    [
      "last line twice",
      Buffer.concat([sampleBytes, sampleLines.at(-1)?.bytes ?? assert.fail()]),
      { good: sampleLines.length, damage: /checksum/ },
    ],
    ["swapped lines", joined(swapped), { good: 5, damage: /checksum/ }],
    ["lost line", joined(sampleLines.filter((_, index) => index !== 9)), { good: 9, damage: /checksum/ }],
    ["lost first line", joined(sampleLines.slice(1)), { good: 0, damage: /no segment begins/ }],
    [
      "lines of another log",
      Buffer.concat([
        joined(sampleLines.slice(0, 9)),
        chainLines(sampleJsons.slice(9))[0]?.bytes ?? assert.fail(),
      ]),
      { good: 9, damage: /checksum/ },
    ],
    [
      "two halves glued",
      Buffer.concat([joined(sampleLines.slice(0, 9)), line9.subarray(0, 40), joined(sampleLines.slice(10))]),
      { good: 9, damage: /checksum/ },
    ],
    [
      "CRLF",
      Buffer.from(sampleBytes.toString("utf8").replaceAll("\n", "\r\n")),
      { good: 0, damage: /checksum/ },
    ],
    ["byte order mark", Buffer.concat([Buffer.from("\ufeff"), sampleBytes]), { good: 0, damage: /JSON/ }],
    ["upper-case checksum", upperCase, { good: 9, damage: /checksum/ }],
    ["one zero byte", zeros(offsetOf(9) + 30, offsetOf(9) + 31), { good: 9, damage: /checksum/ }],
    [
      "zeros that are no whole sectors",
      zeros(offsetOf(9), offsetOf(9) + 100),
      { good: 9, damage: /checksum/ },
    ],
    [
      "a lost sector in front of later writes",
      zeros(1024, 1536),
      { good: sampleLines.findIndex((_, line) => offsetOf(line + 1) > 1024), damage: /checksum/ },
    ],
  ];
  for (const [name, bytes, expected] of cases) {
    test(name, () => {
      const log = decode(bytes);
      assert.equal(log.damage === null, expected.damage === undefined, JSON.stringify(log.damage));
      if (expected.damage !== undefined) assert.match(log.damage?.reason ?? "", expected.damage);
      assert.equal(log.entries.length, expected.good);
      if (log.damage !== null) {
        assert.equal(log.damage.line, log.entries.length + 1);
        assert.equal(log.damage.offset, log.goodBytes);
      }
      if (expected.tail !== undefined) assert.deepEqual(log.tail, { state: "torn", bytes: expected.tail });
      assert.deepEqual(log.entries, sampleEntries.slice(0, log.entries.length));
    });
  }

  test("another segment's log under this name", () => {
    assert.match(
      foreign(sampleBytes).damage?.reason ?? "",
      /begins segment 019b76da-a800-74af-8ffd-2cdf7a317f47/,
    );
  });
});

describe("line content", () => {
  const first3 = sampleJsons.slice(0, 3);
  const withLine = (json: string) => decode(joined(chainLines([...first3, json])));
  const cases: [string, string, RegExp | null][] = [
    ["not JSON", '{"seq":3,"batch":3,"ts":1,"kind":"turn_end",}', /JSON/],
    ["another seq", '{"seq":4,"batch":3,"ts":1,"kind":"segment_ready"}', /not entry 3/],
    ["seq as 3.0", '{"seq":3.0,"batch":3,"ts":1,"kind":"segment_ready"}', /begin/],
    ["seq as text", '{"seq":"3","batch":3,"ts":1,"kind":"segment_ready"}', /not entry 3/],
    ["another order", '{"ts":1,"batch":3,"seq":3,"kind":"segment_ready"}', /begin/],
    ["a second seq", '{"seq":9,"batch":3,"ts":1,"kind":"segment_ready","seq":3}', /begin/],
    [
      "a second kind",
      '{"seq":3,"batch":3,"ts":1,"kind":"segment_ready","kind":"turn_end","turn_count":1}',
      /begin/,
    ],
    [
      "a second checksum",
      '{"seq":3,"batch":3,"ts":1,"kind":"segment_ready","sum":"0000000000000000"}',
      /second checksum/,
    ],
    ["a write that began later", '{"seq":3,"batch":4,"ts":1,"kind":"segment_ready"}', /no write/],
    ["an older write", '{"seq":3,"batch":1,"ts":1,"kind":"segment_ready"}', /no write/],
    ["the write of the line before", '{"seq":3,"batch":0,"ts":1,"kind":"segment_ready"}', null],
    ["batch as 3.0", '{"seq":3,"batch":3.0,"ts":1,"kind":"segment_ready"}', /begin/],
    ["batch as text", '{"seq":3,"batch":"3","ts":1,"kind":"segment_ready"}', /no write/],
    ["a second batch", '{"seq":3,"batch":0,"ts":1,"kind":"segment_ready","batch":3}', /begin/],
    ["no batch", '{"seq":3,"ts":1,"kind":"segment_ready"}', /no write/],
    ["ts as text", '{"seq":3,"batch":3,"ts":"1","kind":"segment_ready"}', /not entry 3/],
    ["white space", '{"seq":3, "batch":3,"ts":1,"kind":"segment_ready"}', /begin/],
    [
      "a second start",
      sampleJsons[0]?.replace('"seq":0,"batch":0', '"seq":3,"batch":3') ?? "",
      /second time/,
    ],
    ["a field missing", '{"seq":3,"batch":3,"ts":1,"kind":"turn_end"}', /field turn_count of turn_end/],
    [
      "a field inherited from Object",
      '{"seq":3,"batch":3,"ts":1,"kind":"tool_started","constructor":1}',
      /field call/,
    ],
    [
      "a reserved field",
      '{"seq":3,"batch":3,"ts":1,"kind":"turn_end","turn_count":1,"opaque":true}',
      /field opaque/,
    ],
    [
      "an unknown kind",
      '{"seq":3,"batch":3,"ts":1,"kind":"later_kind","child":"a","at":[1,{"b":null}]}',
      null,
    ],
    ["an unknown kind without fields", '{"seq":3,"batch":3,"ts":-1,"kind":"__proto__"}', null],
    [
      "an unknown field",
      '{"seq":3,"batch":3,"ts":1,"kind":"turn_end","turn_count":1,"later":{"x":[]}}',
      null,
    ],
  ];
  for (const [name, json, wrong] of cases) {
    test(name, () => {
      const log = withLine(json);
      if (wrong === null) {
        assert.equal(log.damage, null);
        const entry = log.entries[3];
        assert.ok(entry !== undefined && !("detached" in entry));
        assert.equal(jsonOfEntry(entry), json);
      } else {
        assert.match(log.damage?.reason ?? "", wrong);
        assert.equal(log.entries.length, 3);
      }
    });
  }

  test("invalid UTF-8 under a right checksum is damage", () => {
    const { bytes } = encodeLine(
      '{"seq":3,"batch":3,"ts":1,"kind":"x","text":"##"}',
      chainLines(first3).at(-1)?.sum ?? noSum,
    );
    const start = joined(chainLines(first3));
    for (const bad of [
      [0xc3, 0x28],
      [0xff, 0xfe],
      [0xed, 0xa0],
      [0xc0, 0x80],
    ]) {
      const json = Buffer.from(bytes.subarray(0, -27));
      json.set(bad, json.indexOf("##"));
      // The checksum is made right for these bytes.
      const line = rechecksummed(json, chainLines(first3).at(-1)?.sum ?? noSum);
      assert.match(decode(Buffer.concat([start, line])).damage?.reason ?? "", /UTF-8/);
    }
  });

  test("duplicate and __proto__ keys change no prototype", () => {
    const log = withLine(
      '{"seq":3,"batch":3,"ts":1,"kind":"later","__proto__":{"polluted":1},"a":1,"a":2,"n":{"__proto__":{"polluted":1}}}',
    );
    assert.equal(log.damage, null);
    assert.equal(Reflect.get({}, "polluted"), undefined);
    const entry = log.entries[3];
    assert.ok(entry !== undefined && "opaque" in entry);
    assert.equal(Object.getPrototypeOf(entry.fields), Object.prototype);
    assert.equal(Reflect.get(entry.fields, "polluted"), undefined);
    const known = withLine(
      '{"seq":3,"batch":3,"ts":1,"kind":"turn_end","turn_count":1,"__proto__":{"turn_count":7}}',
    );
    assert.equal(known.damage, null);
  });

  test(`JSON ${jsonDepthMax} levels deep is read, one more is refused, and 100,000 do not overflow`, () => {
    const nested = (levels: number) =>
      `{"seq":3,"batch":3,"ts":1,"kind":"x","v":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    assert.equal(withLine(nested(jsonDepthMax)).damage, null);
    assert.match(withLine(nested(jsonDepthMax + 1)).damage?.reason ?? "", /nested deeper/);
    assert.match(withLine(nested(100_000)).damage?.reason ?? "", /nested deeper/);
  });

  test("any kind and fields come back byte for byte", () => {
    fc.assert(
      fc.property(fc.string(), fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (kind, fields) => {
        const { seq: _seq, batch: _batch, ts: _ts, kind: _kind, sum: _sum, ...rest } = fields;
        const json = `{"seq":3,"batch":3,"ts":1,"kind":${JSON.stringify(`later ${kind}`)}${JSON.stringify({ ...rest, z: 0 }).replace("{", ",")}`;
        const entry = withLine(json).entries[3];
        assert.ok(entry !== undefined && !("detached" in entry));
        assert.equal(jsonOfEntry(entry), json);
      }),
      { seed: 11, numRuns: 300 },
    );
  });
});

function rechecksummed(json: Buffer, previousSum: string): Buffer {
  // latin1 keeps every byte as it is on the way through text.
  const hashed = encodeLatin1(json, previousSum);
  return Buffer.concat([json, Buffer.from(`,"sum":"${hashed}"}\n`)]);
}

function encodeLatin1(json: Buffer, previousSum: string): string {
  return createHash("sha256").update(previousSum, "latin1").update(json).digest("hex").slice(0, 16);
}

test("a log of a later format is refused with what to do", () => {
  const first = (schema: number): Buffer => {
    const json = sampleJsons[0]?.replace('"schema":1', `"schema":${schema}`).replace('"prompt"', '"prompts"');
    return joined(chainLines([json ?? ""]));
  };
  assert.equal(decode(first(continuedLogSchema)).damage?.line, 1);
  assert.throws(
    () => decode(first(continuedLogSchema + 1)),
    (error: unknown) =>
      error instanceof YoiError && error.code === "schema_newer" && error.message.includes("update yoi"),
  );
});

test("a segment that continues another is chained to the entry it names", () => {
  const origin = { segment_id: sampleRef.segment, seq: 4, sum: sampleLines[4]?.sum ?? "" };
  const json = sampleJsons[0]?.replace(/\}$/, `,"forked_from":${JSON.stringify(origin)}}`) ?? "";
  assert.equal(decode(joined(chainLines([json], origin.sum))).damage, null);
  assert.match(decode(joined(chainLines([json]))).damage?.reason ?? "", /checksum/);
  const both = json.replace(/\}$/, `,"compacted_from":${JSON.stringify(origin)}}`);
  assert.match(decode(joined(chainLines([both], origin.sum))).damage?.reason ?? "", /two segments/);
});

describe("what waits, and what somebody keeps in the log", () => {
  test("a field that is wrong is damage, named, and nothing behind it is read", () => {
    const wrong: [seq: number, from: string, to: string, field: string][] = [
      [4, '"kind":"notification"', '"kind":"rumour"', "item.kind of inbox_accepted"],
      [4, '"body":', '"bodi":', "item.body of inbox_accepted"],
      [7, '"delivers":4', '"delivers":"4"', "delivers of system_item"],
      [7, '"delivers":4', '"delivers":-4', "delivers of system_item"],
      [10, '"domain":"metrics"', '"domain":7', "domain of extension"],
      [10, '"payload":', '"value":', "payload of extension"],
    ];
    for (const [seq, from, to, field] of wrong) {
      const jsons = inboxLines.map(({ json }, index) => (index === seq ? json.replace(from, to) : json));
      assert.notEqual(jsons[seq], inboxLines[seq]?.json, `control: ${from} is there`);
      const log = decode(joined(chainLines(jsons)));
      assert.equal(log.entries.length, seq, field);
      assert.match(log.damage?.reason ?? "", new RegExp(`field ${field} is not valid`));
    }
  });

  test("cut anywhere, all of the whole lines is there and nothing of the one that was cut", () => {
    for (let cut = 0; cut < inboxBytes.length; cut += 7) {
      const { entries, damage } = decode(inboxBytes.subarray(0, cut));
      assert.equal(damage, null);
      assert.deepEqual(entries, inboxEntries.slice(0, entries.length));
    }
  });
});
