/** What a step costs does not grow with the history behind it: of that only what is new is looked at. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type CommittedItem, type Item, noProjection } from "@yoi/base";
import { ContextEstimate } from "../src/context-size.ts";
import { prunedContentBytesMin } from "@yoi/model";
import { sizeShown } from "../src/item-size.ts";
import { nextPrune } from "../src/prune.ts";
import { RequestBuilder } from "../src/request.ts";

const head = { system: "S", tools: [], config: { model: "m/x", max_output_tokens: 100 } };
const limits = {
  startTokens: 0,
  protectedTokens: 100,
  minSavingsTokens: 50,
  dueTokens: { first: 0, other: 0 },
};

/** Inputs and answers in turns. */
function history(length: number) {
  const items = Array.from({ length }, (_, index): CommittedItem => {
    const text = `text ${index}`;
    const item: Item =
      index % 2 === 0
        ? { type: "user_message", parts: [{ type: "text", text }] }
        : { type: "assistant_message", text, status: "completed" };
    return { seq: index + 1, item: Object.freeze(item) };
  });
  let looked = 0;
  const watched = new Proxy(items, {
    get: (target, key, receiver) => {
      if (typeof key === "string" && /^[0-9]+$/.test(key)) looked += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  const takeLooked = () => {
    const count = looked;
    looked = 0;
    return count;
  };
  return { items, watched, takeLooked };
}

function lookedAt(length: number): readonly number[] {
  const { items, watched, takeLooked } = history(length);
  const measured = { items: length - 3, tokens: 10_000 };
  const builder = new RequestBuilder();
  builder.build(head, items.slice(0, length - 3), noProjection);
  builder.build(head, watched, noProjection);
  const built = takeLooked();
  const view = { items: watched, projection: noProjection, measured, calibration: {} };
  new ContextEstimate(10, () => "m/x").of(view);
  const estimated = takeLooked();
  const pruning = { items: watched, measured, tokens: 10_000, rate: 4, images: false, isFirst: false };
  // Where all before is left out already.
  nextPrune({ ...pruning, projection: { prune_before: length - 8 } }, limits);
  return [built, estimated, takeLooked()];
}

test("building, estimating and pruning look at as many items of a long history as of a short one", () => {
  const short = lookedAt(1_000);
  const long = lookedAt(16_000);
  assert.deepEqual(long.slice(0, 2), short.slice(0, 2));
  // The place of the pointer is looked for by halves.
  assert.ok((long[2] ?? 0) - (short[2] ?? 0) <= 5, `${long[2]} and ${short[2]}`);
  assert.ok(
    short.every((looked) => looked > 0 && looked < 60),
    String(short),
  );
});

test("what is left of a pruned result is measured once, and anew under another id", () => {
  let read = 0;
  const content = "x".repeat(prunedContentBytesMin);
  const item: Item = Object.freeze({
    type: "tool_result",
    call: callId(1, 0),
    name: "Read",
    summary: "s",
    get content() {
      read += 1;
      return content;
    },
    is_error: false,
  });
  const pruned = { prune_before: 1_000 };
  const size = sizeShown({ seq: 2, item }, pruned);
  const before = read;
  assert.deepEqual(sizeShown({ seq: 2, item }, pruned), size);
  assert.equal(read, before);
  assert.equal(sizeShown({ seq: 2, item, id: "12-345" }, pruned).bytes, size.bytes + "12-345".length - 1);
  assert.equal(sizeShown({ seq: 2, item }, noProjection).bytes > size.bytes, true);
});
