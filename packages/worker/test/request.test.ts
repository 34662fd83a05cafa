/** The one request builder: order, refusals, stability, and a step at a time equal to the whole. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type CommittedItem, type Item, type Projection } from "@yoi/base";
import { requestDigest, type RequestHead } from "@yoi/model";
import fc from "fast-check";
import { buildRequest } from "../src/index.ts";
import { RequestBuilder } from "../src/request.ts";

const head: RequestHead = { system: "s", tools: [], config: { model: "scripted/s", max_output_tokens: 10 } };
const projection: Projection = { prune_before: null };

const user = (text: string): Item => ({ type: "user_message", parts: [{ type: "text", text }] });
const text = (say: string): Item => ({ type: "assistant_message", text: say, status: "completed" });
const call = (request: number, index: number): Item => ({
  type: "tool_call",
  call: callId(request, index),
  name: "T",
  arguments: "{}",
});
const result = (request: number, index: number): Item => ({
  type: "tool_result",
  call: callId(request, index),
  name: "T",
  summary: "s",
  is_error: false,
});
const note = (body: string): Item => ({ type: "system_item", kind: "notification", source: "host", body });

const committed = (items: readonly Item[]): CommittedItem[] =>
  items.map((item, index) => ({ seq: index * 2, item }));
const order = (items: readonly Item[]) =>
  buildRequest(head, committed(items), projection).items.map(({ seq }) => seq / 2);

test("results stand in call order behind their answer, notes of the step behind them; nothing else moves", () => {
  const cases: [items: Item[], order: number[]][] = [
    [
      [user("a"), text("b")],
      [0, 1],
    ],
    [
      [user("a"), call(1, 0), call(1, 1), result(1, 1), result(1, 0)],
      [0, 1, 2, 4, 3],
    ],
    [
      [user("a"), call(1, 0), text("b"), call(1, 2), result(1, 2), result(1, 0)],
      [0, 1, 2, 3, 5, 4],
    ],
    [
      [user("a"), call(1, 0), note("n"), result(1, 0), note("m")],
      [0, 1, 3, 2, 4],
    ],
    [
      [user("a"), call(1, 0), result(1, 0), note("n"), text("b"), note("o"), user("c")],
      [0, 1, 2, 3, 4, 5, 6],
    ],
    [
      [user("a"), call(1, 0), result(1, 0), call(2, 0), note("n"), result(2, 0)],
      [0, 1, 2, 3, 5, 4],
    ],
    [
      [user("a"), call(1, 0), result(1, 0), user("b")],
      [0, 1, 2, 3],
    ],
  ];
  for (const [items, expected] of cases) assert.deepEqual(order(items), expected);
});

test("blank texts are left out, and nothing else", () => {
  const data = { provider: "p", metadata: { x: 1 } };
  const items: Item[] = [
    user("a"),
    user(" \n"),
    text(""),
    text("\t"),
    { type: "reasoning", text: "", status: "completed" },
    { type: "reasoning", text: "", status: "completed", provider_data: data },
    { type: "assistant_message", text: "", status: "completed", provider_data: data },
    note(" "),
  ];
  assert.deepEqual(order(items), [0, 5, 6]);
});

test("a dangling call, an orphan, a second result and a repeated call are bugs that stop the request", () => {
  const cases: [items: Item[], message: RegExp][] = [
    [[user("a"), call(1, 0)], /the call 1\.0 has no result/],
    [[user("a"), call(1, 0), call(1, 1), result(1, 1), text("b")], /the call 1\.0 has no result/],
    [[user("a"), call(1, 0), user("b")], /the call 1\.0 has no result/],
    [[user("a"), result(1, 0)], /1\.0 has a result but no open call/],
    [[user("a"), call(1, 0), result(1, 0), text("b"), result(1, 0)], /1\.0 has a result but no open call/],
    [[user("a"), call(1, 0), result(1, 0), result(1, 0)], /1\.0 has a second result/],
    [[user("a"), call(1, 0), call(1, 0), result(1, 0)], /the call 1\.0 is there twice/],
    [[user("a"), call(1, 0), result(2, 0)], /2\.0 has a result but no open call/],
  ];
  for (const [items, message] of cases) assert.throws(() => order(items), message);
});

/** One step of a session: an answer with calls, results in any order with notes between, then perhaps more input. */
const step = fc.record({
  says: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
  shuffle: fc.array(fc.nat(), { minLength: 5, maxLength: 5 }),
  notes: fc.array(fc.nat({ max: 5 }), { maxLength: 3 }),
  input: fc.constantFrom("none", "user", "note", "blank"),
});

/** Each prefix of the result is history at the moment of a request. */
function sessions(steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]): Item[][] {
  const history: Item[] = [user("go")];
  const moments = [[...history]];
  for (const [index, { says, shuffle, notes, input }] of steps.entries()) {
    const results: { item: Item; rank: number }[] = [];
    for (const [position, isCall] of says.entries()) {
      history.push(isCall ? call(index, position) : text(`t${index}`));
      if (isCall) results.push({ item: result(index, position), rank: shuffle[position] ?? 0 });
    }
    const tail = results.sort((a, b) => a.rank - b.rank).map(({ item }) => item);
    for (const at of notes) tail.splice(Math.min(at, tail.length), 0, note(`n${at}`));
    history.push(...tail);
    if (input === "user") history.push(user("more"));
    if (input === "note") history.push(note("late"));
    if (input === "blank") history.push(note(""));
    moments.push([...history]);
  }
  return moments;
}

test("a request is a prefix of the next, and a step at a time equals the whole, seed 5, 300 sessions", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const moments = sessions(steps);
      const log = committed(moments.at(-1) ?? []);
      const builder = new RequestBuilder();
      let before: readonly CommittedItem[] = [];
      for (const moment of moments) {
        const items = log.slice(0, moment.length);
        const whole = buildRequest(head, items, projection);
        const built = builder.build(head, items, projection);
        assert.deepEqual(built.request, whole);
        assert.equal(built.digest, requestDigest(whole));
        assert.deepEqual(whole.items.slice(0, before.length), before);
        before = whole.items;
      }
    }),
    { seed: 5, numRuns: 300 },
  );
});

test("a builder that meets another history starts from its beginning", () => {
  const builder = new RequestBuilder();
  builder.build(head, committed([user("a"), text("b"), user("c")]), projection);
  const other = committed([user("x"), text("y"), user("z"), text("w")]);
  const whole = buildRequest(head, other, projection);
  const built = builder.build(head, other, projection);
  assert.deepEqual(built, { request: whole, digest: requestDigest(whole) });
});
