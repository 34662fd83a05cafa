/** Tables: aligned, and safe whatever stands in a cell. */
import assert from "node:assert/strict";
import test from "node:test";
import { tableText } from "../../src/output/table.ts";

test("columns are as wide as their widest cell, and lines end where their text ends", () => {
  const rows = [
    ["review", "stopped", ""],
    ["a", "live (pid 12)", "/w"],
  ];
  assert.equal(
    tableText(["NAME", "STATE", "WORKSPACE"], rows),
    ["NAME    STATE          WORKSPACE", "review  stopped", "a       live (pid 12)  /w", ""].join("\n"),
  );
});

test("without rows there is the header", () => assert.equal(tableText(["KEY", "VALUE"], []), "KEY  VALUE\n"));

test("control characters are shown, not obeyed", () => {
  assert.equal(tableText(["A"], [["x\u001b[31m\ny\u202e"]]), "A\nx\\u001b[31m\\u000ay\\u202e\n");
});

test("on a screen that is too narrow each cell has a line, and an empty one none", () => {
  const rows = [
    ["review", "stopped", ""],
    ["a", "live (pid 12)", "/w"],
  ];
  const header = ["NAME", "STATE", "WORKSPACE"];
  const wide = tableText(header, rows);
  const columns = Math.max(...wide.split("\n").map((line) => line.length));
  assert.equal(tableText(header, rows, columns), wide);
  assert.equal(
    tableText(header, rows, columns - 1),
    ["name: review", "  state: stopped", "name: a", "  state: live (pid 12)", "  workspace: /w", ""].join(
      "\n",
    ),
  );
  assert.equal(tableText(header, [], 3), "NAME  STATE  WORKSPACE\n");
});
