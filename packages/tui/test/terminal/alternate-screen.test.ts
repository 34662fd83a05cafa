/** AlternateScreen against a terminal. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AlternateScreen } from "../../src/terminal/alternate-screen.ts";
import { emulator } from "../support/emulator.ts";

test("rows are redrawn where they differ, and the main screen is as it was behind it", () => {
  const terminal = emulator(10, 3);
  const screen = new AlternateScreen((bytes) => terminal.write(bytes), { columns: 10, rows: 3 });
  terminal.write("before\r\n");
  screen.enter();
  screen.paint(["one", "two", "0123456789abc", "four"], { row: 1, column: 2 });
  assert.deepEqual(
    [terminal.screen(), terminal.cursor(), terminal.isAlternate],
    [["one", "two", "0123456789"], { row: 1, column: 2 }, true],
  );
  const before = terminal.written;
  screen.paint(["one", "two", "0123456789abc"], { row: 1, column: 2 });
  assert.equal(terminal.written, before);
  screen.paint(["one", "2", "0123456789abc"], null);
  assert.deepEqual(terminal.screen(), ["one", "2", "0123456789"]);
  assert.ok(terminal.written - before < 60);
  screen.paint([], null);
  assert.deepEqual(terminal.screen(), ["", "", ""]);
  terminal.resize(5, 2);
  screen.resize({ columns: 5, rows: 2 });
  screen.paint(["abcdefg", "x", "y"], { row: 9, column: 9 });
  assert.deepEqual([terminal.screen(), terminal.cursor()], [["abcde", "x"], { row: 1, column: 4 }]);
  screen.leave();
  assert.deepEqual([terminal.text(), terminal.isAlternate], [["before"], false]);
});
