/** What a tool gives: images and records are taken as far as they can be committed, and everything else is said. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Image, ToolOutput } from "@yoi/base";
import { alertCharsMax, alertsMax, checkedOutput } from "../src/checked-output.ts";

const limits = { imagesMax: 2, imageBytesMax: 16, recordBytesMax: 20 };

function checked(output: unknown): { output: ToolOutput; warnings: string[] } {
  const warnings: string[] = [];
  const taken = checkedOutput("T", output, {
    limits,
    observe: (event) => void (event.type === "warning" && warnings.push(event.text)),
  });
  return { output: taken, warnings };
}

const image = (data: string): Image => ({ type: "image", media_type: "image/png", data });
const unreadable = { summary: "T ended and gave no result that can be read", is_error: true };

test("images: as many and as large as the limits; what is over them is left out, and the content says so", () => {
  const eight = image("AAAAAAA=");
  const table: readonly (readonly [readonly Image[], readonly Image[], string | undefined])[] = [
    [[], [], undefined],
    [[eight, eight], [eight, eight], undefined],
    [[eight, eight, eight], [eight, eight], "[1 of 3 images left out: too many or too large]"],
    [[image("AAAA".repeat(4))], [image("AAAA".repeat(4))], undefined],
    [[image("AAAA".repeat(5)), eight], [eight], "[1 of 2 images left out: too many or too large]"],
  ];
  for (const [given, kept, content] of table) {
    assert.deepEqual(checked({ summary: "s", images: given }).output, {
      summary: "s",
      is_error: false,
      ...(content === undefined ? {} : { content }),
      ...(kept.length === 0 ? {} : { images: kept }),
    });
  }
  const both = checked({ summary: "s", content: "c", images: [eight, eight, eight] }).output;
  assert.equal(both.content, "[1 of 3 images left out: too many or too large]\nc");
});

test("images: what is none makes the whole result one that cannot be read", () => {
  const good = image("AAAA");
  for (const images of [
    "AAAA",
    [null],
    [{ ...good, type: "picture" }],
    [{ ...good, media_type: "image/svg+xml" }],
    [{ ...good, data: "" }],
    [{ ...good, data: "AAA" }],
    [{ ...good, data: "AA=A" }],
    [{ ...good, data: "AA A" }],
    [{ ...good, data: "AA-_" }],
    [{ ...good, data: 7 }],
    [good, "x"],
    { 0: good, length: 1 },
  ])
    assert.deepEqual(checked({ summary: "s", images }).output, unreadable, JSON.stringify(images));
  const { output } = checked({ summary: "s", images: [{ ...good, more: "x" }] });
  assert.deepEqual(output.images, [good]);
});

test("a record: of the limit it is kept, of one byte more it is left out with a warning", () => {
  const record = (bytes: number) => ({ r: "x".repeat(bytes - '{"r":""}'.length) });
  assert.deepEqual(checked({ summary: "s", record: record(20) }), {
    output: { summary: "s", is_error: false, record: record(20) },
    warnings: [],
  });
  const warnings = [
    "T gave a record that is no JSON object of at most 20 bytes: it is not kept, and T will not know of this call after a restart.",
  ];
  const itself: { [key: string]: unknown } = {};
  itself["me"] = itself;
  for (const wrong of [record(21), itself, "text", [1], null, 7, () => {}, { big: 1n }, { toJSON: () => 7 }])
    assert.deepEqual(checked({ summary: "s", record: wrong }), {
      output: { summary: "s", is_error: false },
      warnings,
    });
});

test("a record is what JSON keeps of it", () => {
  const when = new Date(0);
  assert.deepEqual(checked({ summary: "s", record: { a: undefined, n: 1 } }).output.record, { n: 1 });
  assert.deepEqual(checked({ summary: "s", record: { n: Number.NaN } }).output.record, { n: null });
  assert.equal(checked({ summary: "s", record: { when } }).output.record, undefined);
});

test("summary and content are texts; anything else is no result", () => {
  for (const output of [null, undefined, 7, "s", {}, { summary: 7 }, { summary: "s", content: 7 }])
    assert.deepEqual(checked(output).output, unreadable);
  assert.deepEqual(checked({ summary: "s", content: "c", is_error: 1, more: 1 }).output, {
    summary: "s",
    is_error: false,
    content: "c",
  });
});

test("alerts: as many and as long as the limits, and nothing but text", () => {
  const alertsOf = (alerts: unknown) => checked({ summary: "s", alerts }).output.alerts;
  const long = (length: number): string => "x".repeat(length);
  assert.deepEqual(alertsOf(["a", 1, null, "b"]), ["a", "b"]);
  assert.deepEqual(alertsOf([long(alertCharsMax), long(alertCharsMax + 1)]), [
    long(alertCharsMax),
    long(alertCharsMax),
  ]);
  assert.equal(alertsOf(Array(alertsMax).fill("a"))?.length, alertsMax);
  assert.equal(alertsOf(Array(alertsMax + 1).fill("a"))?.length, alertsMax);
  for (const odd of ["text", 1, { length: 2 }, undefined]) assert.equal(alertsOf(odd), undefined);
});
