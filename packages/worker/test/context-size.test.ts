/** The size of a context: text by its bytes, a picture by what it costs, a record not at all. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type Item, noProjection } from "@yoi/base";
import { ContextEstimate } from "../src/context-size.ts";
import type { History } from "../src/history.ts";

const nothing: History = {
  items: [],
  lastSeq: 0,
  unanswered: [],
  approvals: [],
  partials: [],
  measured: null,
  projection: noProjection,
  turnCount: 0,
  pausesInRow: 0,
  generation: 0,
  calibration: {},
  append: () => Promise.reject(new Error("not here")),
};
const tokensOf = (item: Item) => new ContextEstimate(0, () => "p/m").of(nothing, [item]).tokens;

test("a picture counts the same however many bytes it has, and a record counts nothing", () => {
  const image = (bytes: number) =>
    ({ type: "image", media_type: "image/png", data: "A".repeat(bytes) }) as const;
  const result: Item = {
    type: "tool_result",
    call: callId(1, 0),
    name: "Read",
    summary: "s",
    is_error: false,
  };
  const note: Item = { type: "system_item", kind: "file_attachment", source: "host", body: "b" };
  for (const item of [result, note]) {
    const text = tokensOf(item);
    assert.ok(text < 40);
    assert.equal(tokensOf({ ...item, record: { path: "x".repeat(10_000) } }), text);
    for (const bytes of [4, 4_000_000])
      assert.equal(tokensOf({ ...item, images: [image(bytes)] }), text + 1_600);
    assert.equal(tokensOf({ ...item, images: [image(4), image(8)] }), text + 3_200);
  }
});
