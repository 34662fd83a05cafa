/** Panels: what features show of their states, asked when it can have changed, bounded, and told when it has. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type Entry, type Panel, panelRowsMax, panelTextCharsMax } from "@yoi/base";
import { featureId, type FeatureState } from "@yoi/feature";
import { FeatureStates } from "../../../src/feature/states/feature-states.ts";
import { Panels } from "../../../src/feature/states/panels.ts";

const one = featureId("project:one");
const two = featureId("project:two");

interface Shown {
  given: unknown;
  asked: number;
}

function stateOf(shown: Shown): FeatureState {
  return {
    restore: () => {},
    snapshot: () => ({}),
    panel: () => {
      shown.asked += 1;
      return (typeof shown.given === "function" ? shown.given() : shown.given) as null;
    },
  };
}

function open(first: unknown, second: unknown = null) {
  const shown = [first, second].map((given): Shown => ({ given, asked: 0 }));
  const states = new FeatureStates();
  for (const [index, feature] of [one, two].entries())
    states.add(
      feature,
      { domain: `d${index}`, version: 1 },
      [`Tool${index}`],
      stateOf(shown[index] ?? assert.fail()),
    );
  states.restore([], {});
  const told: Panel[] = [];
  const problems: string[] = [];
  const panels = new Panels({
    states,
    redact: (text) => text.replaceAll("sekret", "[redacted]"),
    shown: (panel) => told.push(panel),
    problem: (feature, message) => problems.push(`${feature}: ${message}`),
  });
  const [a = assert.fail(), b = assert.fail()] = shown;
  return { panels, told, problems, a, b, states };
}

const resultOf = (name: string): Entry => ({
  seq: 1,
  batch: 1,
  ts: 0,
  kind: "tool_result",
  item: { type: "tool_result", call: callId(1, 0), name, summary: "", is_error: false },
});
const panelOf = (text: string) => ({ title: "T", rows: [{ mark: "todo", text }] });

test("a panel is asked behind results of the feature's own tools and a restore, and told when it is another one", () => {
  const { panels, told, a, b } = open(panelOf("first"), panelOf("of two"));
  panels.restored();
  const [first, second] = [
    { feature: one, ...panelOf("first") },
    { feature: two, ...panelOf("of two") },
  ];
  assert.deepEqual(told, [first, second]);
  assert.deepEqual(panels.list, [first, second]);
  panels.committed([resultOf("Other")]);
  assert.deepEqual([a.asked, b.asked], [1, 1]);
  panels.committed([resultOf("Tool0")]);
  assert.deepEqual([a.asked, b.asked, told.length], [2, 1, 2]);
  a.given = panelOf("second");
  panels.committed([resultOf("Tool0"), resultOf("Tool0")]);
  assert.deepEqual([a.asked, told.slice(2)], [3, [{ feature: one, ...panelOf("second") }]]);
  a.given = null;
  panels.restored();
  assert.deepEqual(told.slice(3), [{ feature: one, title: "", rows: [] }]);
  assert.deepEqual(panels.list, [second]);
});

test("what cannot be shown is a problem of its feature, and nothing else is lost", () => {
  const broken: readonly (readonly [given: unknown, problem: string])[] = [
    [7, "panel() of project:one gave something that is no panel."],
    [{ title: "T", rows: 7 }, "panel() of project:one gave rows that are no list."],
    [{ title: 7, rows: [{ mark: "todo", text: "" }] }, "panel() of project:one gave a text that is none."],
    [
      { title: "T", rows: [{ mark: "new", text: "" }] },
      "panel() of project:one gave a row with an unknown mark.",
    ],
    [Promise.resolve(null), "`panel` gave a promise, and what it does has to be done when it returns."],
    [
      () => {
        throw new Error("broken");
      },
      "broken",
    ],
  ];
  for (const [given, problem] of broken) {
    const { panels, told, problems } = open(given, panelOf("fine"));
    panels.restored();
    assert.deepEqual(told, [{ feature: two, ...panelOf("fine") }]);
    assert.deepEqual(problems, [`project:one: Its state could not be shown: ${problem}`]);
  }
});

test("at most so many rows of so many characters, on one line each, without credentials", () => {
  const rows = (count: number, text: string) => Array.from({ length: count }, () => ({ mark: "note", text }));
  const cut = (given: unknown) => {
    const { panels } = open(given);
    panels.restored();
    return panels.list[0];
  };
  const exact = "a".repeat(panelTextCharsMax);
  assert.deepEqual(cut({ title: exact, rows: rows(panelRowsMax, exact) }), {
    feature: one,
    title: exact,
    rows: rows(panelRowsMax, exact),
  });
  assert.deepEqual(cut({ title: `${exact}b`, rows: rows(panelRowsMax + 1, `${exact}b`) }), {
    feature: one,
    title: exact,
    rows: rows(panelRowsMax, exact),
  });
  assert.deepEqual(cut({ title: "a\nb", rows: rows(1, "\u001b[31m sekret \u202e") })?.rows, [
    { mark: "note", text: "\\u001b[31m [redacted] \\u202e" },
  ]);
  assert.equal(cut({ title: "T", rows: [] }), undefined);
});
