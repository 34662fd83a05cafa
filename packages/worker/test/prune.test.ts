/** Pruning: when the pointer moves and how far; on record before the request that it shapes, and counted so that no estimate is fooled. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type CommittedItem, type Entry, noProjection, type Projection } from "@yoi/base";
import { requestDigest } from "@yoi/model";
import fc from "fast-check";
import {
  buildRequest,
  estimateTokens,
  nextPrune,
  type PruneView,
  savingsOfResentMin,
  sizeShown,
} from "../src/index.ts";
import { bench, tool } from "./support/bench-worker.ts";
import { LogHistory } from "./support/log-history.ts";

const input = (seq: number): CommittedItem => ({
  seq,
  item: { type: "user_message", parts: [{ type: "text", text: "go" }] },
});
const call = (seq: number, of: number): CommittedItem => ({
  seq,
  item: { type: "tool_call", call: callId(of, 0), name: "Read", arguments: "{}" },
});
const result = (seq: number, of: number, bytes: number, images = 0): CommittedItem => ({
  seq,
  item: Object.freeze({
    type: "tool_result",
    call: callId(of, 0),
    name: "Read",
    summary: "s",
    content: "c".repeat(bytes),
    ...(images > 0 && {
      images: Array.from(
        { length: images },
        () => ({ type: "image", media_type: "image/png", data: "" }) as const,
      ),
    }),
    is_error: false,
  }),
});
/** An input, and steps of one call each with a result of that many bytes. The results have the seqs 3, 5, 7 ... */
const steps = (...bytes: readonly number[]): CommittedItem[] => [
  input(1),
  ...bytes.flatMap((size, index) => [call(2 * index + 2, index), result(2 * index + 3, index, size)]),
];
const view = (items: readonly CommittedItem[], over: Partial<PruneView> = {}): PruneView => ({
  items,
  projection: noProjection,
  measured: null,
  tokens: 1_001,
  rate: 4,
  images: true,
  isFirst: false,
  ...over,
});
/** However much has to be sent anew. */
const dueTokens = { first: 0, other: 0 };
const limits = { startTokens: 1_000, protectedTokens: 100, minSavingsTokens: 500, dueTokens };
const at = (prune_before: number): Projection => ({ prune_before });

test("the pointer moves when a request is too large, past every old result, and never into the tail", () => {
  const items = steps(4_000, 4_000, 4_000);
  assert.deepEqual(nextPrune(view(items), limits), { before: 6, results: 2, savedTokens: 1_975 });
  assert.equal(nextPrune(view(items, { tokens: 1_000 }), limits), null);
  assert.equal(nextPrune(view(items, { projection: at(6) }), limits), null);
  assert.deepEqual(nextPrune(view(items, { projection: at(4) }), limits), {
    before: 6,
    results: 1,
    savedTokens: 987,
  });
  // The tail reaches into the second answer, so that stays with its result.
  assert.equal(nextPrune(view(items), { ...limits, protectedTokens: 1_100 })?.before, 4);
  assert.equal(nextPrune(view(items), { ...limits, protectedTokens: 100_000 }), null);
});

test("it moves for as much as is asked, and not for one token more", () => {
  const items = view(steps(3_000, 600), { rate: 1 });
  const { savedTokens = 0 } = nextPrune(items, { ...limits, minSavingsTokens: 1 }) ?? {};
  assert.equal(savedTokens, 3_000 - "[left out: 3,000 bytes; SessionRead 3 shows them]".length);
  assert.ok(nextPrune(items, { ...limits, minSavingsTokens: savedTokens }));
  assert.equal(nextPrune(items, { ...limits, minSavingsTokens: savedTokens + 1 }), null);
});

test("it moves for twice what is sent anew then, or where room has to be made otherwise, and not for less", () => {
  const notDue = { ...limits, minSavingsTokens: 1, dueTokens: { first: 5_000, other: 9_000 } };
  const items = (bytes: number) => steps(bytes, 1_000);
  const moves = (bytes: number, over: Partial<PruneView> = {}) =>
    nextPrune(view(items(bytes), { rate: 1, ...over }), notDue) !== null;
  // Behind the first old result that changes: that one as it is sent then, and the last answer with its result.
  const sent = items(8_000)
    .slice(2)
    .reduce((sum, one) => sum + sizeShown(one, at(4)).bytes, 0);
  const line = "[left out: 2,628 bytes; SessionRead 3 shows them]".length;
  const least = savingsOfResentMin * sent + line;
  assert.deepEqual([moves(least - 1), moves(least)], [false, true]);
  for (const [isFirst, due] of [
    [true, 5_000],
    [false, 9_000],
  ] as const)
    assert.deepEqual(
      [due, due + 1].map((tokens) => moves(least - 1, { isFirst, tokens })),
      [false, true],
    );
});

test("short content, texts and calls are never worth anything", () => {
  const short = Array.from({ length: 400 }, () => 200);
  assert.equal(nextPrune(view(steps(...short)), { ...limits, minSavingsTokens: 1 }), null);
  const talk = Array.from({ length: 400 }, (_, seq) => input(seq + 1));
  assert.equal(nextPrune(view(talk), { ...limits, minSavingsTokens: 1 }), null);
});

test("pictures make it move where they are sent, and claim nothing of what was counted", () => {
  const items = [input(1), call(2, 0), result(3, 0, 0, 4), call(4, 1), result(5, 1, 400)];
  assert.deepEqual(nextPrune(view(items), limits), { before: 4, results: 1, savedTokens: 0 });
  assert.equal(nextPrune(view(items, { images: false }), limits), null);
  for (const projection of [
    { prune_before: null, images_before: 4 },
    { prune_before: null, quarantined: [{ target: 3, part: "images" }] },
  ] as const)
    assert.equal(nextPrune(view(items, { projection }), limits), null);
});

test("what no provider has counted stays: there is nothing to subtract it from", () => {
  const items = steps(4_000, 4_000, 4_000, 4_000);
  const before = (measured: PruneView["measured"]) => nextPrune(view(items, { measured }), limits)?.before;
  assert.equal(before(null), 8);
  assert.equal(before({ items: 9, tokens: 5_000 }), 8);
  assert.equal(before({ items: 5, tokens: 5_000 }), 6, "the third answer is not counted");
  // A broken answer that nobody counted measures nothing.
  assert.equal(before({ items: 5, tokens: 0 }), 8);
});

const seed = 20_261_122;
test(`property: the pointer only goes forward, by enough, over old results alone, and then it stays (seed ${seed}, 300 histories)`, () => {
  const step = fc.record({
    bytes: fc.nat(9_000),
    images: fc.nat(2),
    more: fc.constantFrom("none", "input", "second call"),
  });
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 30 }),
      fc.nat(40),
      fc.nat(6_000),
      fc.integer({ min: 1, max: 4_000 }),
      (drawn, pointer, protectedTokens, minSavingsTokens) => {
        const items: CommittedItem[] = [input(1)];
        for (const [index, { bytes, images, more }] of drawn.entries()) {
          const seq = () => items.length + 1;
          if (more === "input") items.push(input(seq()));
          items.push(call(seq(), index));
          if (more === "second call") {
            items.push(call(seq(), index + 1_000), result(seq() + 1, index + 1_000, 300));
          }
          items.push(result(seq(), index, bytes, images));
        }
        const projection = at(pointer);
        const own = { startTokens: 0, protectedTokens, minSavingsTokens, dueTokens };
        const pruned = nextPrune(view(items, { projection }), own);
        if (pruned === null) return;
        assert.ok(pruned.before > pointer);
        const size = (one: Projection, from = 0) =>
          items.slice(from).reduce(
            (sum, item) => {
              const { bytes, images } = sizeShown(item, one);
              return { bytes: sum.bytes + bytes, images: sum.images + images };
            },
            { bytes: 0, images: 0 },
          );
        const [then, now] = [size(projection), size(at(pruned.before))];
        const saved = { bytes: then.bytes - now.bytes, images: then.images - now.images };
        assert.ok(estimateTokens(saved, 4) >= minSavingsTokens);
        assert.equal(pruned.savedTokens, Math.floor(saved.bytes / 4));
        const tail = items.findIndex(({ seq }) => seq >= pruned.before);
        if (tail === -1) return assert.equal(protectedTokens, 0);
        assert.ok(estimateTokens(size(projection, tail), 4) >= protectedTokens, "the tail is whole");
        assert.notEqual(items[tail]?.item.type, "tool_result", "an answer keeps all of its results or none");
        assert.equal(nextPrune(view(items, { projection: at(pruned.before) }), own), null, "it stays");
      },
    ),
    { seed, numRuns: 300 },
  );
});

const big = tool("Big", async () => ({ summary: "read", content: "line of text\n".repeat(800) }));
const reads = (count: number): string =>
  `{ context_window: 100000, steps: [${"{ tool_calls: [{ name: Big, arguments: {} }] }, ".repeat(count)}{ text: done }] }`;
const pruneLimits = { startTokens: 12_000, protectedTokens: 6_000, minSavingsTokens: 4_000, dueTokens };

test("a long run is pruned in steps: each on record before the request that it shapes, and every request rebuilds", async () => {
  const sizes: number[] = [];
  const b = bench({
    scenario: reads(24),
    tools: [big],
    prune: pruneLimits,
    points: { threshold: ({ tokens }) => (sizes.push(tokens), null) },
  });
  assert.deepEqual(await b.run("go"), { kind: "finished", text: "done" });
  b.history.assertReplays();
  const entries = b.history.entries as readonly Entry[];
  const moves = entries.filter((entry) => entry.kind === "projection");
  assert.ok(moves.length > 2 && moves.length < 12, `${moves.length} moves in 25 requests`);
  const pointers = moves.map(({ projection }) => projection.prune_before ?? 0);
  assert.deepEqual(
    pointers,
    pointers.toSorted((a, c) => a - c),
  );
  for (const { seq, reason, saved_tokens = 0, message } of moves) {
    assert.equal(reason, "pruned");
    assert.ok(saved_tokens >= pruneLimits.minSavingsTokens);
    assert.match(
      message,
      /^The content of \d+ old results? (?:is|are) left out from here on: about \d+ tokens less\.$/,
    );
    assert.equal(entries[seq + 1]?.kind, "llm_request");
  }
  let inForce: Projection = noProjection;
  for (const entry of entries) {
    if (entry.kind === "projection") inForce = entry.projection;
    if (entry.kind !== "llm_request") continue;
    assert.deepEqual(entry.projection, inForce);
    const items = b.history.items.filter(({ seq }) => seq <= entry.through);
    const head = { system: "Be brief.", tools: b.tools.definitions, config: entry.config };
    assert.equal(requestDigest(buildRequest(head, items, entry.projection)), entry.digest);
  }
  // What was estimated before each request, after pruning too, is what was then counted.
  const counted = entries.flatMap((entry) => (entry.kind === "llm_usage" ? [entry.usage.input_tokens] : []));
  for (const [index, tokens] of counted.entries()) {
    // Of the first one nothing is known but bytes.
    if (index === 0) continue;
    const estimated = sizes[2 * index] ?? 0;
    assert.ok(Math.abs(estimated - tokens) < 0.1 * tokens, `request ${index}: ${estimated} for ${tokens}`);
  }
  assert.ok(Math.max(...counted) < 20_000, `control: unpruned it ends at ${24 * 2_600}`);
});

test("another process goes on with the pointer that is on record, and makes the same request", async () => {
  const first = bench({ scenario: reads(10), tools: [big], prune: pruneLimits });
  await first.run("go");
  const { projection, items, measured } = first.history;
  assert.ok(projection.prune_before !== null);
  const again = new LogHistory({ entries: first.history.entries });
  assert.deepEqual([again.projection, again.measured], [projection, measured]);
  const head = { system: "", tools: [], config: again.state.config };
  assert.equal(
    requestDigest(buildRequest(head, again.items, again.projection)),
    requestDigest(buildRequest(head, items, projection)),
  );
});

test("an input that is taken back leaves the pointer, and less of what was counted", async () => {
  const b = bench({ scenario: reads(10), tools: [big] });
  await b.run("go");
  const { measured } = b.history;
  assert.ok(measured);
  const [invoke] = await b.history.say("more");
  const entry = { kind: "projection", reason: "pruned", message: "x", saved_tokens: 500 } as const;
  await b.history.append([{ ...entry, projection: at(9) }]);
  const less = { ...measured, tokens: measured.tokens - 500 };
  assert.deepEqual(b.history.measured, less);
  await b.history.append([{ kind: "turn_rolled_back", from_seq: invoke?.seq ?? 0 }]);
  assert.deepEqual([b.history.measured, b.history.projection], [less, at(9)]);
  await b.history.append([{ ...entry, projection: at(11), saved_tokens: 1e9 }]);
  assert.deepEqual(b.history.measured, { ...measured, tokens: 0 });
});

test("a pointer that cannot be put on record moves nothing, and no request is made", async () => {
  const b = bench({ scenario: reads(10), tools: [big], prune: pruneLimits });
  b.history.onAppend = (bodies) => {
    if (bodies.some(({ kind }) => kind === "projection")) throw new Error("no room");
  };
  await assert.rejects(b.run("go"), /no room/);
  assert.equal(b.history.projection.prune_before, null);
  assert.equal(b.scripted.requests.length, b.history.kinds("llm_usage").length);
});
