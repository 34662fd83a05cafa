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

test("a count is taken for what it was counted of: the model and the head that are in force now, or all bytes", () => {
  const item: Item = { type: "user_message", parts: [{ type: "text", text: "x".repeat(4_000) }] };
  const items = [{ seq: 1, item }];
  const measured = { items: 1, tokens: 3_000, model: "p/m", head_bytes: 400 };
  const of = (head: number, model: string, more: Partial<typeof measured> = {}) =>
    new ContextEstimate(head, () => model).of({ ...nothing, items, measured: { ...measured, ...more } })
      .tokens;
  const whole = (head: number) => new ContextEstimate(head, () => "p/m").of({ ...nothing, items }).tokens;
  assert.equal(of(400, "p/m"), 3_000);
  assert.equal(of(400_400, "p/m"), 3_000 + 100_000);
  assert.equal(of(0, "p/m"), 3_000 - 100);
  assert.equal(of(400, "q/n"), whole(400));
  assert.equal(of(400, "p/m", { tokens: 0 }), whole(400));
  // Of an older log, which does not say what it counted.
  const older = { items: 1, tokens: 3_000 };
  assert.equal(
    new ContextEstimate(9_999, () => "q/n").of({ ...nothing, items, measured: older }).tokens,
    3_000,
  );
});
