/** Sizes of items and the rate at which they become tokens: from real pairs, clamped, and near what a provider counts next. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bytesPerTokenMax,
  type CommittedItem,
  type EntryBody,
  type Item,
  noProjection,
  noUsage,
  utf8Length,
} from "@yoi/base";
import {
  bytesPerToken,
  bytesPerTokenDefault,
  bytesPerTokenMin,
  estimateTokens,
  imageTokens,
  noSize,
  sizeOfItem,
  sizeShown,
} from "../src/item-size.ts";
import { ContextEstimate } from "../src/context-size.ts";
import { LogHistory } from "./support/log-history.ts";

const model = "p/m";
const user = (text: string): Item => ({ type: "user_message", parts: [{ type: "text", text }] });

test("the rate is what was counted, within what text can be; a model that nothing is known of has the default", () => {
  const rate = (bytes: number, tokens: number) => bytesPerToken({ [model]: { bytes, tokens } }, model);
  assert.equal(bytesPerToken({}, model), bytesPerTokenDefault);
  assert.equal(bytesPerToken({ "p/other": { bytes: 10, tokens: 5 } }, model), bytesPerTokenDefault);
  assert.equal(rate(0, 0), bytesPerTokenDefault);
  assert.deepEqual(
    [rate(3000, 1000), rate(1500, 1000), rate(8000, 1000)],
    [3, bytesPerTokenMin, bytesPerTokenMax],
  );
  assert.deepEqual([rate(1499, 1000), rate(8001, 1000)], [bytesPerTokenMin, bytesPerTokenMax]);
});

test("tokens are rounded up, and pictures have their own", () => {
  assert.deepEqual(
    [
      estimateTokens(noSize, 4),
      estimateTokens({ bytes: 4, images: 0 }, 4),
      estimateTokens({ bytes: 5, images: 2 }, 4),
    ],
    [0, 1, 2 + 2 * imageTokens],
  );
});

test("an item is as large as it is shown: without what a projection leaves out", () => {
  const image = { type: "image", media_type: "image/png", data: "AAAA" } as const;
  const result: Item = {
    type: "tool_result",
    call: "3.0" as never,
    name: "Read",
    summary: "s",
    content: "c".repeat(1000),
    images: [image],
    is_error: false,
  };
  const { content: _, images: __, ...bare } = result;
  const reasoning: Item = { type: "reasoning", text: "hm", status: "completed" };
  const at = (item: Item): CommittedItem => ({ seq: 7, item });
  const whole = sizeOfItem(result);
  assert.deepEqual(whole.images, 1);
  const before = (seq: number) => ({ prune_before: seq });
  assert.deepEqual(sizeShown(at(result), before(7)), whole);
  // In the place of content and pictures stands a line that says so.
  const pruned = sizeShown(at(result), before(8));
  assert.equal(pruned.images, 0);
  assert.ok(pruned.bytes > sizeOfItem(bare).bytes && pruned.bytes < sizeOfItem(bare).bytes + 200);
  assert.deepEqual(sizeShown(at(result), { prune_before: null, images_before: 8 }), { ...whole, images: 0 });
  const quarantined = (part: "images" | "reasoning") => ({
    ...noProjection,
    quarantined: [{ target: 7, part }],
  });
  assert.deepEqual(sizeShown(at(result), quarantined("images")), { ...whole, images: 0 });
  assert.deepEqual(sizeShown(at(reasoning), quarantined("reasoning")), noSize);
  assert.deepEqual(sizeShown(at(reasoning), { prune_before: null, reasoning_before: 8 }), noSize);
  assert.deepEqual(
    sizeShown(at(reasoning), { prune_before: null, reasoning_before: 7 }),
    sizeOfItem(reasoning),
  );
});

/** Kinds of text with about how many bytes of it a tokenizer takes as one token. */
const kinds = [
  { what: "English", bytesOfToken: 4.4, text: (n: number) => "the quick brown fox jumps over it ".repeat(n) },
  { what: "Japanese", bytesOfToken: 2.6, text: (n: number) => "これは長い文章です。続きます。".repeat(n) },
  {
    what: "JSON",
    bytesOfToken: 2.9,
    text: (n: number) => JSON.stringify(Array(n).fill({ id: 7, ok: true })),
  },
  {
    what: "code",
    bytesOfToken: 3.3,
    text: (n: number) => "for (let i = 0; i < n; i += 1) {\n\tf(x[i]);\n}\n".repeat(n),
  },
] as const;

const head = 6_000;
/** What a provider would count of a body, its overhead included. */
const counted = (history: LogHistory, bytesOfToken: number) => Math.round(bodyBytes(history) / bytesOfToken);
const bodyBytes = (history: LogHistory) =>
  history.items.reduce((sum, { item }) => sum + sizeOfItem(item).bytes, head);

async function ask(history: LogHistory, tokens: number): Promise<void> {
  const [request] = await history.append([requestBody(bodyBytes(history))]);
  await history.append([
    {
      kind: "llm_usage",
      request: request?.seq ?? -1,
      usage: { ...noUsage, input_tokens: tokens },
      finish: "stop",
    },
  ]);
}

function requestBody(bytes: number): EntryBody {
  return {
    kind: "llm_request",
    through: 0,
    items: 0,
    projection: noProjection,
    tools: "t",
    config: { model },
    adapter: { name: "a", version: "1" },
    lowering: 1,
    digest: "d",
    wire: { sha256: "0".repeat(64), bytes, method: "POST", path: "/", headers: {} },
  };
}

for (const { what, bytesOfToken, text } of kinds) {
  test(`${what}: after three counted requests the next one is estimated within 15 %, also where nothing is measured`, async () => {
    const history = new LogHistory();
    const estimate = new ContextEstimate(head, () => model);
    const say = (n: number) =>
      history.append([{ kind: "user_input", parts: [{ type: "text", text: text(n) }] }]);
    for (const n of [300, 200, 400]) {
      await say(n);
      await ask(history, counted(history, bytesOfToken));
    }
    await say(1500);
    const real = counted(history, bytesOfToken);
    const near = (tokens: number, whom: string) =>
      assert.ok(Math.abs(tokens - real) <= 0.15 * real, `${whom}: estimated ${tokens}, counted ${real}`);
    near(estimate.of(history).tokens, "behind a count");
    near(estimate.of({ ...viewOf(history), measured: null }).tokens, "of everything");
    // Control: at the default rate it is off for what is not like English.
    const uncalibrated = estimate.of({ ...viewOf(history), calibration: {}, measured: null }).tokens;
    if (Math.abs(bytesOfToken - bytesPerTokenDefault) > 1)
      assert.ok(Math.abs(uncalibrated - real) > 0.15 * real, `${uncalibrated} of ${real}`);
  });
}

function viewOf(history: LogHistory) {
  const { items, projection, measured, calibration } = history;
  return { items, projection, measured, calibration };
}

test("sizes are bytes of UTF-8, not characters", () => {
  assert.equal(sizeOfItem(user("日")).bytes - sizeOfItem(user("")).bytes, utf8Length("日"));
});
