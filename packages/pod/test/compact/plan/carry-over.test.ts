/** What is carried over is kept over any number of compactions, whatever a summary says and however little room there is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type CommittedItem, type Item, type SystemItem, utf8Length } from "@yoi/base";
import { carryOverItems, carryRoom } from "../../../src/compact/plan/carry-over.ts";
import { readFilesBytesMax, readFilesItem, readFilesMax } from "../../../src/compact/plan/read-files.ts";
import {
  addInputs,
  inputsBytesMax,
  noInputs,
  readUserInputs,
  userInputsItem,
} from "../../../src/compact/plan/user-inputs.ts";
import { bodiesOf, called, carriedOn, committed, inputOf, planned, said, user } from "./histories.ts";

const file = (index: number) => ({
  path: `/w/${index}.ts`,
  sha256: String(index).padStart(64, "0"),
  ranges: [[0, 1]] as const,
  length: 1,
});
const itemOf = (items: readonly { readonly item: Item }[], kind: string): SystemItem | null => {
  const found = items.find(({ item }) => item.type === "system_item" && item.kind === kind)?.item;
  return found?.type === "system_item" ? found : null;
};

test("20 compactions, every other one by rules: demands, first and last input, tasks and files are all there", () => {
  let items: readonly CommittedItem[] = committed([user("first of all: build the bridge")]);
  for (let round = 0; round < 20; round += 1) {
    const more = [
      user(`input ${round}: Demand ${round}!`),
      ...called(round, "c".repeat(30_000)),
      said("done ".repeat(3_000)),
    ];
    items = [...items, ...committed(more, items.length + 1)].map((one, at) => ({
      ...one,
      seq: at + 1,
      id: one.id ?? `${round}-${at}`,
    }));
    const plan = planned({
      ...inputOf(items, {
        summary:
          round % 2 === 0
            ? {
                text: `summary ${round}`,
                constraints: [`demand ${round}`, "demand 0"],
                withdrawn: [],
                currentWork: "",
                files: [],
              }
            : null,
        featureTexts: [{ feature: "builtin:task", text: `task ${round}` }],
        readFiles: Array.from({ length: 300 }, (_, at) => file(at)),
      }),
    });
    items = carriedOn(plan);
    const told = readUserInputs(itemOf(items, "user_inputs")).inputs.map(({ text }) => text);
    const shown = items.flatMap(({ item }) =>
      item.type === "user_message" ? item.parts.map((part) => (part.type === "text" ? part.text : "")) : [],
    );
    const asked = [
      "first of all: build the bridge",
      ...Array.from({ length: round + 1 }, (_, at) => `input ${at}: Demand ${at}!`),
    ];
    assert.deepEqual([...told, ...shown], asked);
    const demands = Array.from({ length: Math.floor(round / 2) + 1 }, (_, at) => `demand ${at * 2}`);
    assert.deepEqual(itemOf(items, "user_inputs")?.record?.["constraints"], demands);
    const bodies = new Map(bodiesOf(plan));
    for (const demand of demands)
      assert.match(bodies.get("user_inputs") ?? "", new RegExp(`^- ${demand}$`, "m"));
    assert.equal(bodies.get("feature_state"), `task ${round}`);
    assert.match(bodies.get("summary") ?? "", new RegExp(`summary ${round - (round % 2)}`));
    const files = itemOf(items, "read_files")?.record?.["files"] as { path: string }[];
    assert.deepEqual([files.length, files.at(-1)?.path], [readFilesMax, "/w/299.ts"]);
  }
});

const input = (id: number, bytes: number): CommittedItem => ({ seq: id, item: user("i".repeat(bytes)) });

test("inputs are kept within their room: the newest and the oldest first, others by their beginnings, and what is left out is counted", () => {
  const whole = addInputs(noInputs, [input(1, 100), input(2, 200)], null);
  assert.deepEqual(
    whole.inputs.map(({ text, bytes }) => [text.length, bytes]),
    [
      [100, 100],
      [200, 200],
    ],
  );
  const many = addInputs(
    noInputs,
    Array.from({ length: 100 }, (_, at) => input(at + 1, 5_000)),
    null,
  );
  const total = many.inputs.reduce((sum, { text }) => sum + utf8Length(text), 0);
  assert.ok(total <= inputsBytesMax && total > inputsBytesMax * 0.9, String(total));
  assert.deepEqual(
    [many.inputs.at(0), many.inputs.at(-1)].map((one) => [one?.id, one?.text.length]),
    [
      ["1", 5_000],
      ["100", 5_000],
    ],
  );
  assert.ok(many.inputs.slice(1, -1).every(({ text, bytes }) => text.length <= 2_000 && bytes === 5_000));
  assert.equal(many.leftOut + many.inputs.length, 100);
  // What was cut stays cut, and known inputs are not taken twice.
  const again = addInputs(many, [input(100, 5_000)], null);
  assert.deepEqual(again, many);
  const item = userInputsItem(many, 2_000);
  assert.deepEqual(readUserInputs(item), many);
  assert.ok(utf8Length(item?.body ?? "") < 2_400, item?.body);
  assert.match(item?.body ?? "", /^\[100\] i+ \[\d+ bytes more; SessionRead 100 shows them\]$/m);
});

test(`the ${readFilesMax} files used last are kept, in at most ${readFilesBytesMax} bytes`, () => {
  const files = Array.from({ length: readFilesMax + 1 }, (_, at) => file(at));
  const kept = (item: ReturnType<typeof readFilesItem>) => item?.record?.["files"] as { path: string }[];
  assert.deepEqual(
    kept(readFilesItem(files.slice(1), 0)).map(({ path }) => path),
    files.slice(1).map(({ path }) => path),
  );
  assert.equal(kept(readFilesItem(files, 0))[0]?.path, "/w/1.ts");
  assert.equal(readFilesItem([], 1_000), null);
  const long = files.map((one, at) => ({ ...one, path: `/${"p".repeat(4_000)}${at}` }));
  const some = kept(readFilesItem(long, 5_000));
  assert.ok(some.length < 70 && some.length > 50 && some.at(-1)?.path === long.at(-1)?.path);
  assert.equal(
    readFilesItem(files, 0)?.body,
    "256 files that you read or wrote before are known as they were.",
  );
});

test("features share their room; without any their texts are left out, and nothing else is", () => {
  const texts = Array.from({ length: 4 }, (_, at) => ({
    feature: `f:${at}`,
    text: String(at).repeat(at === 3 ? 5_000 : 50),
  }));
  const over = { items: [], summary: null, featureTexts: texts, readFiles: [file(1)] };
  const leaving = { left: [input(1, 10)], untold: [], cut: [] };
  const told = (features: number) =>
    carryOverItems(over, leaving, { ...carryRoom(0, 1, 0), features }).map(({ kind, body }) => [
      kind,
      utf8Length(body),
    ]);
  assert.deepEqual(
    told(1_000)
      .filter(([kind]) => kind === "feature_state")
      .map(([, bytes]) => bytes),
    [50, 50, 50, 850],
  );
  assert.deepEqual(
    told(0).map(([kind]) => kind),
    ["summary", "user_inputs", "read_files"],
  );
});
