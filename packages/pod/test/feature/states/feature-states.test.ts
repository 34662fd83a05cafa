/** States of features: whose results make records, what is kept of a snapshot, and what a state that fails does to the others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  callId,
  type CommittedItem,
  type Item,
  type JsonObject,
  type JsonValue,
  jsonDepthMax,
  utf8Length,
} from "@yoi/base";
import { featureId, type FeatureState, type StateSnapshot, type ToolRecord } from "@yoi/feature";
import {
  FeatureStates,
  stateBytesMax,
  stateDepthMax,
  statesBytesMax,
} from "../../../src/feature/states/feature-states.ts";

const one = featureId("project:one");
const two = featureId("project:two");

/** A state that keeps what it was given. */
class Kept implements FeatureState {
  readonly given: { readonly records: readonly ToolRecord[]; readonly snapshot: StateSnapshot | null }[] = [];
  value: unknown = {};
  onRestore: () => unknown = () => {};

  restore(records: readonly ToolRecord[], snapshot: StateSnapshot | null): void {
    this.given.push({ records, snapshot });
    return this.onRestore() as undefined;
  }
  snapshot(): JsonValue {
    return this.value as JsonValue;
  }
  get last() {
    return this.given.at(-1) ?? assert.fail("restore was not called");
  }
}

function statesOf(...members: readonly (readonly [state: Kept, tools: readonly string[]])[]): FeatureStates {
  const states = new FeatureStates();
  for (const [index, [state, tools]] of members.entries()) {
    const feature = [one, two][index] ?? assert.fail();
    states.add(feature, { domain: `d${index + 1}`, version: 1 }, tools, state);
  }
  return states;
}

function log(...items: readonly Item[]): readonly CommittedItem[] {
  return items.map((item, index) => ({ seq: index + 10, item }));
}

function called(request: number, name: string, text: string): Item {
  return { type: "tool_call", call: callId(request, 0), name, arguments: text };
}

function resulted(request: number, name: string, more: object = {}): Item {
  return {
    type: "tool_result",
    call: callId(request, 0),
    name,
    summary: `${name} ${request}`,
    is_error: false,
    ...more,
  };
}

test("what the snapshot of a segment holds already is no record; a call that was open then keeps its arguments", () => {
  const a = new Kept();
  const states = statesOf([a, ["A"]]);
  const [first, answered, open, later] = log(
    called(1, "A", '{"x":1}'),
    resulted(1, "A"),
    called(2, "A", '{"x":2}'),
    resulted(2, "A"),
  );
  assert.ok(first && answered && open && later);
  const folded = [first, answered, open].map((one) => ({ ...one, folded: true }));
  const stored = { version: 1, value: { kept: 1 } };
  assert.deepEqual(states.restore([...folded, later], { d1: stored }), []);
  assert.deepEqual(a.last, {
    records: [{ call: callId(2, 0), tool: "A", arguments: { x: 2 }, isError: false, summary: "A 2" }],
    snapshot: stored,
  });
});

test("a feature is told the results of its own tools in log order, whole and frozen, and of nothing else", () => {
  const [a, b] = [new Kept(), new Kept()];
  const states = statesOf([a, ["A", "A2"]], [b, ["B"]]);
  const items = log(
    { type: "user_message", parts: [{ type: "text", text: "do it" }] },
    called(1, "A", '{"x":{"y":1}}'),
    called(2, "B", "{}"),
    called(3, "Bash", '{"command":"ls"}'),
    resulted(3, "Bash", { content: "secret" }),
    resulted(2, "B", { is_error: true }),
    resulted(1, "A", { content: "c", record: { kept: [1] } }),
    called(4, "A2", "{}"),
    resulted(4, "A2"),
    called(5, "A", "{}"),
  );
  assert.deepEqual(states.restore(items, {}), []);
  assert.deepEqual(a.last, {
    records: [
      {
        call: callId(1, 0),
        tool: "A",
        arguments: { x: { y: 1 } },
        isError: false,
        summary: "A 1",
        content: "c",
        record: { kept: [1] },
      },
      { call: callId(4, 0), tool: "A2", arguments: {}, isError: false, summary: "A2 4" },
    ],
    snapshot: null,
  });
  assert.deepEqual(b.last.records, [
    { call: callId(2, 0), tool: "B", arguments: {}, isError: true, summary: "B 2" },
  ]);
  assertFrozen(a.last.records);
});

function assertFrozen(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  assert.ok(Object.isFrozen(value), JSON.stringify(value));
  for (const field of Object.values(value)) assertFrozen(field);
}

const argumentTexts: readonly [what: string, text: string, expected: JsonObject | null][] = [
  ["an object", '{"a":1}', { a: 1 }],
  ["an array", "[1]", null],
  ["a text", '"a"', null],
  ["null", "null", null],
  ["cut JSON", '{"a":', null],
  ["nothing", "", null],
  [
    "an object as deep as may be",
    `{"a":${"[".repeat(jsonDepthMax - 1)}${"]".repeat(jsonDepthMax - 1)}}`,
    { a: nested(jsonDepthMax - 1) },
  ],
  ["an object that is too deep", `{"a":${"[".repeat(jsonDepthMax)}${"]".repeat(jsonDepthMax)}}`, null],
];
for (const [what, text, expected] of argumentTexts) {
  test(`arguments that are ${what} are ${expected === null ? "null" : "read"}`, () => {
    const state = new Kept();
    statesOf([state, ["A"]]).restore(log(called(1, "A", text), resulted(1, "A")), {});
    assert.deepEqual(state.last.records[0]?.arguments, expected);
  });
}

function nested(depth: number): JsonValue {
  let value: JsonValue = [];
  for (let level = 1; level < depth; level += 1) value = [value];
  return value;
}

test("a result whose call is no longer in history has no arguments", () => {
  const state = new Kept();
  statesOf([state, ["A"]]).restore(log(resulted(1, "A", { record: { a: 1 } })), {});
  assert.deepEqual(state.last.records, [
    { call: callId(1, 0), tool: "A", arguments: null, isError: false, summary: "A 1", record: { a: 1 } },
  ]);
});

test("restoring is a function of the items: twice gives the same, and fewer items give what they hold", () => {
  const state = new Kept();
  const states = statesOf([state, ["A"]]);
  const items = log(called(1, "A", "{}"), resulted(1, "A"), called(2, "A", "{}"), resulted(2, "A"));
  states.restore(items, {});
  states.restore(items, {});
  states.restore(items.slice(0, 2), {});
  const [first, second, third] = state.given;
  assert.deepEqual(first, second);
  assert.equal(third?.records.length, 1);
});

test("a snapshot goes through the log and comes back as it was, frozen", () => {
  const [a, b] = [new Kept(), new Kept()];
  a.value = { tasks: [{ id: 1 }], gone: undefined };
  b.value = null;
  const { states, problems } = statesOf([a, []], [b, []]).snapshot();
  assert.deepEqual(problems, []);
  assert.deepEqual(states, {
    d1: { version: 1, value: { tasks: [{ id: 1 }] } },
    d2: { version: 1, value: null },
  });
  const [c, d] = [new Kept(), new Kept()];
  const folded = JSON.parse(JSON.stringify(states)) as JsonObject;
  assert.deepEqual(statesOf([c, []], [d, []]).restore([], folded), []);
  assert.deepEqual(c.last.snapshot, { version: 1, value: { tasks: [{ id: 1 }] } });
  assert.deepEqual(d.last.snapshot, { version: 1, value: null });
});

test("what a snapshot is a copy of cannot change it", () => {
  const state = new Kept();
  const value = { list: [1] };
  state.value = value;
  const { states } = statesOf([state, []]).snapshot();
  value.list.push(2);
  assert.deepEqual(states, { d1: { version: 1, value: { list: [1] } } });
});

test("what an absent feature has kept is handed on to the next segment untouched", () => {
  const state = new Kept();
  const states = statesOf([state, []]);
  const absent = JSON.parse(
    '{"d9":{"version":4,"value":[1]},"__proto__":{"version":1,"value":{}}}',
  ) as JsonObject;
  assert.deepEqual(states.restore([], absent), []);
  const taken = states.snapshot().states;
  assert.deepEqual(taken["d9"], { version: 4, value: [1] });
  assert.deepEqual(Object.keys(taken).sort(), ["__proto__", "d1", "d9"]);
  states.restore([], {});
  assert.deepEqual(Object.keys(states.snapshot().states), ["d1"]);
});

for (const domain of ["constructor", "__proto__", "toString"]) {
  test(`a domain named ${domain} is a name like any other`, () => {
    const state = new Kept();
    state.value = 1;
    const states = new FeatureStates();
    states.add(one, { domain, version: 1 }, [], state);
    assert.deepEqual(states.restore([], {}), []);
    assert.equal(state.last.snapshot, null);
    const folded = JSON.parse(JSON.stringify(states.snapshot().states)) as JsonObject;
    assert.deepEqual(states.restore([], folded), []);
    assert.deepEqual(state.last.snapshot, { version: 1, value: 1 });
  });
}

test("two features cannot keep one domain, and the sentence names both", () => {
  const states = statesOf([new Kept(), []]);
  assert.throws(
    () => states.add(two, { domain: "d1", version: 1 }, [], new Kept()),
    /project:one and project:two both keep a state "d1"/,
  );
});

const items = log(called(1, "A", "{}"), resulted(1, "A"));
const failures: readonly [what: string, fail: () => unknown, message: RegExp][] = [
  ["throws", () => assert.fail("broken"), /so its tools are refused: broken$/],
  [
    "throws what has no text",
    () => {
      throw Object.defineProperty(new Error("x"), "message", { get: () => assert.fail() });
    },
    /an unprintable value was thrown/,
  ],
  ["gives a promise", async () => {}, /`restore` gave a promise/],
  ["gives a promise that fails", async () => assert.fail("later"), /`restore` gave a promise/],
];
for (const [what, fail, message] of failures) {
  test(`a restore that ${what} is reported, leaves the state of no records, and no other feature without its own`, () => {
    const [a, b] = [new Kept(), new Kept()];
    a.onRestore = () => (a.last.records.length > 0 ? fail() : undefined);
    const problems = statesOf([a, ["A"]], [b, ["A"]]).restore(items, { d1: { version: 1, value: 1 } });
    assert.deepEqual(
      problems.map(({ feature }) => feature),
      [one],
    );
    assert.match(problems[0]?.message ?? "", message);
    assert.deepEqual(a.last, { records: [], snapshot: null });
    assert.equal(b.last.records.length, 1);
  });
}

test("what could not be restored is kept as it was for the next segment, and in force again once it can be", () => {
  const [a, b] = [new Kept(), new Kept()];
  const states = statesOf([a, ["A"]], [b, ["A"]]);
  const folded = { d1: { version: 7, value: { precious: true } }, d2: { version: 1, value: 2 } };
  a.value = "written over an empty state";
  a.onRestore = () => (a.last.snapshot === null ? undefined : assert.fail("newer"));
  const [problem, ...more] = states.restore(items, folded);
  assert.deepEqual([problem?.feature, problem?.domain, more], [one, "d1", []]);
  assert.deepEqual([states.problemOf(one), states.problemOf(two)], [problem, null]);
  assert.deepEqual(states.snapshot(), {
    states: { d1: folded.d1, d2: { version: 1, value: {} } },
    problems: [],
  });
  a.onRestore = () => {};
  assert.deepEqual(states.restore(items, folded), []);
  assert.equal(states.problemOf(one), null);
  assert.deepEqual(states.snapshot().states["d1"], { version: 1, value: a.value });
});

test("a restore that fails without records too is one problem that says both", () => {
  const state = new Kept();
  let count = 0;
  state.onRestore = () => assert.fail(`failure ${(count += 1)}`);
  const problems = statesOf([state, ["A"]]).restore(items, {});
  assert.equal(problems.length, 1);
  assert.match(problems[0]?.message ?? "", /failure 1.*failed too: failure 2/);
});

for (const stored of [null, 1, [], {}, { version: 1 }, { version: "1", value: 1 }] as const) {
  test(`what the segment began with cannot be ${JSON.stringify(stored)}: the state begins without`, () => {
    const state = new Kept();
    const problems = statesOf([state, ["A"]]).restore(items, { d1: stored });
    assert.match(problems[0]?.message ?? "", /"d1" is no snapshot/);
    assert.deepEqual(state.last, { records: [], snapshot: null });
  });
}

const cyclic: { self?: object } = {};
cyclic.self = cyclic;
const rejecting = () => Promise.reject(new Error("later"));
const snapshots: readonly [what: string, value: unknown, message: RegExp][] = [
  ["nothing", undefined, /cannot be written as JSON/],
  ["a function", () => {}, /cannot be written as JSON/],
  ["a cycle", cyclic, /cannot be written as JSON/],
  ["a promise", Promise.resolve({}), /`snapshot` gave a promise/],
  ["a promise that fails", rejecting, /`snapshot` gave a promise/],
  ["what throws when it is read", { toJSON: () => assert.fail() }, /cannot be written as JSON/],
  ["one byte too much", "x".repeat(stateBytesMax - 1), /262145 bytes.*262144/],
  ["one level too deep", nested(stateDepthMax + 1), /deeper than 125 levels/],
];
for (const [what, value, message] of snapshots) {
  test(`a snapshot that is ${what} is reported and left out, and the others are there`, () => {
    const [a, b] = [new Kept(), new Kept()];
    // Made here: nobody but the host may have to look after it.
    a.value = value === rejecting ? rejecting() : value;
    const { states, problems } = statesOf([a, []], [b, []]).snapshot();
    assert.deepEqual(states, { d2: { version: 1, value: {} } });
    assert.deepEqual(
      problems.map(({ feature }) => feature),
      [one],
    );
    assert.match(problems[0]?.message ?? "", message);
  });
}

test("a snapshot that throws is reported", () => {
  const state = new Kept();
  Object.defineProperty(state, "value", { get: () => assert.fail("no snapshot today") });
  const { states, problems } = statesOf([state, []]).snapshot();
  assert.deepEqual(states, {});
  assert.match(problems[0]?.message ?? "", /could not be kept: no snapshot today/);
});

test("a snapshot of exactly 256 KiB, and one as deep as may be, are kept", () => {
  for (const value of ["é".repeat(stateBytesMax / 2 - 1), nested(stateDepthMax)]) {
    const state = new Kept();
    state.value = value;
    const { states, problems } = statesOf([state, []]).snapshot();
    assert.deepEqual(problems, []);
    assert.deepEqual(states, { d1: { version: 1, value } });
  }
  assert.equal(utf8Length(JSON.stringify("é".repeat(stateBytesMax / 2 - 1))), stateBytesMax);
});

test("the states of all have 512 KiB together, at n and n + 1; what has no room is reported, and a later one that fits is there", () => {
  const bytes = (value: JsonValue) => utf8Length(JSON.stringify({ version: 1, value }));
  const snapshotOf = (sizes: readonly number[], folded: JsonObject = {}) => {
    const states = new FeatureStates();
    for (const [index, size] of sizes.entries()) {
      const state = new Kept();
      state.value = "x".repeat(size - bytes(""));
      states.add(featureId(`project:f${index}`), { domain: `d${index}`, version: 1 }, [], state);
    }
    states.restore([], folded);
    const { states: kept, problems } = states.snapshot();
    return [Object.keys(kept), problems.map(({ feature, message }) => [feature, message])];
  };
  const half = statesBytesMax / 2 - 100;
  assert.deepEqual(snapshotOf([half, half, 200]), [["d0", "d1", "d2"], []]);
  assert.deepEqual(snapshotOf([half, half, 201, 200]), [
    ["d0", "d1", "d3"],
    [
      [
        "project:f2",
        "Its state could not be kept: it has 201 bytes, and there is no room for them in the 524288 that the states of all features can have together.",
      ],
    ],
  ]);
  // What is kept for features that are not here has its room, and is never given up.
  const absent: JsonObject = { gone: { version: 1, value: "x".repeat(half - bytes("")) } };
  assert.deepEqual(snapshotOf([half, 200], absent), [["gone", "d0", "d1"], []]);
  const [kept, problems] = snapshotOf([half, 201], absent);
  assert.deepEqual([kept, problems?.length], [["gone", "d0"], 1]);
});
