/** The tool table: definitions read once, frozen, sorted; no two tools of one name. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ToolDefinition, YoiError } from "@yoi/base";
import { toolSetDigest } from "@yoi/model";
import { ToolTable } from "../src/index.ts";
import { echo } from "./support/bench-worker.ts";

test("definitions are sorted by name, frozen, and a copy", () => {
  const definition: ToolDefinition = { name: "b", description: "B", input_schema: { type: "object" } };
  let reads = 0;
  const counting = {
    ...echo(),
    get definition() {
      reads += 1;
      return definition;
    },
  };
  const table = ToolTable.create([counting, echo("a"), echo("C")]);
  assert.equal(reads, 1);
  assert.deepEqual(
    table.definitions.map((one) => one.name),
    ["C", "a", "b"],
  );
  Object.assign(definition, { description: "changed" });
  assert.equal(table.definitions[2]?.description, "B");
  assert.ok(Object.isFrozen(table.definitions) && Object.isFrozen(table.definitions[0]?.input_schema));
  assert.equal(table.digest, toolSetDigest(table.definitions));
  assert.equal(table.get("b"), counting);
  assert.equal(table.get("B"), null);
});

test("names that two tools share, or that no provider takes, are refused", () => {
  const cases: [names: string[], message: RegExp][] = [
    [["Read", "Read"], /^Two tools are named Read: rename/],
    [["Read", "read"], /^Two tools are named Read and read: rename/],
    [[""], /tool name "" is not valid/],
    [["a b"], /tool name "a b" is not valid/],
    [["x".repeat(65)], /is not valid/],
  ];
  for (const [names, message] of cases) {
    assert.throws(
      () => ToolTable.create(names.map((name) => echo(name))),
      (error) => error instanceof YoiError && error.code === "config_invalid" && message.test(error.message),
    );
  }
  assert.equal(ToolTable.create([echo("x".repeat(64))]).definitions.length, 1);
});
