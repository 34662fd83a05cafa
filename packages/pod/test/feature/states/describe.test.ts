/** What features tell a model of their states, for a history that was compacted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { describedBytesMax, featureId, type FeatureState } from "@yoi/feature";
import { FeatureStates } from "../../../src/feature/states/feature-states.ts";

const one = featureId("project:one");
const two = featureId("project:two");

type Told = Partial<Omit<FeatureState, "describe">> & { readonly describe?: () => unknown };

function stateOf(more: Told = {}): FeatureState {
  return { restore: () => {}, snapshot: () => ({}), ...more } as FeatureState;
}

function statesOf(...states: readonly FeatureState[]): FeatureStates {
  const all = new FeatureStates();
  for (const [index, state] of states.entries())
    all.add([one, two][index] ?? assert.fail(), { domain: `d${index + 1}`, version: 1 }, [], state);
  all.restore([], {});
  return all;
}

test("each state in force tells the model of itself, in the order of features; what cannot be told is a problem, and nothing else is lost", () => {
  const of = (first: () => unknown, second: () => unknown) => {
    return statesOf(stateOf({ describe: first }), stateOf({ describe: second })).describeAll();
  };
  const both = of(
    () => "three tasks",
    () => "a child",
  );
  assert.deepEqual(both, {
    texts: [
      { feature: one, text: "three tasks" },
      { feature: two, text: "a child" },
    ],
    problems: [],
  });
  const failing: readonly (readonly [given: () => unknown, problem: string | null])[] = [
    [() => null, null],
    [() => " \n", null],
    [() => 7, "Its state could not be told to the model: describe() of project:one gave no text."],
    [
      () => Promise.resolve("late"),
      "Its state could not be told to the model: `describe` gave a promise, and what it does has to be done when it returns.",
    ],
    [
      () => {
        throw new Error("broken");
      },
      "Its state could not be told to the model: broken",
    ],
  ];
  for (const [given, problem] of failing) {
    const { texts, problems } = of(given, () => "a child");
    assert.deepEqual(texts, [{ feature: two, text: "a child" }]);
    assert.deepEqual(problems, problem === null ? [] : [{ feature: one, domain: "d1", message: problem }]);
  }
  const exact = "d".repeat(describedBytesMax);
  assert.equal(
    of(
      () => exact,
      () => null,
    ).texts[0]?.text,
    exact,
  );
  assert.equal(
    of(
      () => `${exact}d`,
      () => null,
    ).texts[0]?.text,
    exact,
  );
  assert.deepEqual(statesOf(stateOf()).describeAll(), { texts: [], problems: [] });
  const restore = () => {
    throw new Error("no");
  };
  assert.deepEqual(statesOf(stateOf({ restore, describe: () => "what is not so" })).describeAll().texts, []);
});
