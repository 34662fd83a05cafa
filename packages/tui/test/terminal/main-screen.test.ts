/** MainScreen against a terminal: what was printed is there once and in order, whatever is painted and however the size changes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MainScreen } from "../../src/terminal/main-screen.ts";
import { rowsAboveCursor } from "../../src/terminal/reflow.ts";
import type { Frame, ScreenSize } from "../../src/view/line.ts";
import { cut } from "../../src/view/width.ts";
import { emulator } from "../support/emulator.ts";

function rig(columns: number, rows: number) {
  const terminal = emulator(columns, rows);
  const screen = new MainScreen((bytes) => terminal.write(bytes), { columns, rows }, "xterm_js");
  return { terminal, screen };
}

const frame = (print: string[], live: string[], cursor: Frame["cursor"] = null): Frame => ({
  print,
  live,
  cursor,
});

test("what is finished is printed above what is live", () => {
  const { terminal, screen } = rig(20, 6);
  screen.paint(frame([], ["box", "status"], { row: 0, column: 3 }));
  assert.deepEqual(terminal.text(), ["box", "status"]);
  assert.deepEqual(terminal.cursor(), { row: 0, column: 3 });
  screen.paint(frame(["one", "two"], ["box", "status"], { row: 0, column: 3 }));
  assert.deepEqual(terminal.text(), ["one", "two", "box", "status"]);
  screen.paint(frame(["3", "4", "5", "6"], ["> b", "status"], { row: 0, column: 1 }));
  assert.deepEqual(terminal.scrollback(), ["one", "two"]);
  assert.deepEqual(terminal.screen(), ["3", "4", "5", "6", "> b", "status"]);
  assert.deepEqual(terminal.cursor(), { row: 4, column: 1 });
  screen.erase();
  assert.deepEqual(terminal.text(), ["one", "two", "3", "4", "5", "6"]);
  assert.deepEqual(terminal.cursor(), { row: 4, column: 0 });
});

test("a change of one row writes about one row, and no change writes nothing", () => {
  const { terminal, screen } = rig(80, 50);
  const rows = Array.from({ length: 40 }, (_, n) => `row ${n} ${"x".repeat(60)}`);
  screen.paint(frame([], rows, { row: 39, column: 3 }));
  const before = terminal.written;
  screen.paint(frame([], rows, { row: 39, column: 3 }));
  assert.equal(terminal.written, before);
  screen.paint(frame([], rows.with(20, `ROW ${"y".repeat(60)}`), { row: 39, column: 3 }));
  assert.ok(terminal.written - before < 64 + 80, `${terminal.written - before} characters`);
  const moved = terminal.written;
  screen.paint(frame([], rows.with(20, `ROW ${"y".repeat(60)}`), { row: 39, column: 4 }));
  assert.ok(terminal.written - moved < 16);
  assert.equal(terminal.screen()[20], `ROW ${"y".repeat(60)}`);
  assert.deepEqual(terminal.cursor(), { row: 39, column: 4 });
});

test("what is live is cut at its top and at the right, with its cursor", () => {
  const { terminal, screen } = rig(10, 4);
  screen.paint(frame(["done"], ["one", "two", "three", "four", "0123456789abc"], { row: 4, column: 12 }));
  assert.deepEqual(terminal.text(), ["done", "three", "four", "0123456789"]);
  assert.deepEqual(terminal.cursor(), { row: 3, column: 9 });
  screen.paint(frame([], ["one", "two", "three", "four", "five"], { row: 0, column: 2 }));
  assert.deepEqual(terminal.cursor(), { row: 1, column: 2 });
});

test("what is finished is never cut: the terminal breaks it", () => {
  const { terminal, screen } = rig(10, 4);
  screen.paint(frame(["0123456789abcdef"], ["live"]));
  assert.deepEqual(terminal.text(), ["0123456789abcdef", "live"]);
});

test("nothing ever clears the screen or the scrollback, and each paint is one write between two marks", () => {
  const writes: string[] = [];
  const screen = new MainScreen((bytes) => writes.push(bytes), { columns: 20, rows: 5 });
  screen.paint(frame(["a"], ["b", "c"], { row: 0, column: 0 }));
  screen.paint(frame([], ["b"]));
  screen.resize({ columns: 10, rows: 9 }, ["a"]);
  screen.paint(frame(["d"], []));
  screen.erase();
  screen.restart({ columns: 20, rows: 5 });
  assert.ok(writes.every((bytes) => !/\u001b\[(?:2|3)J|\u001b\[H/.test(bytes)));
  const painted = writes.filter((bytes) => bytes.includes("?2026"));
  assert.equal(painted.length, 3);
  assert.ok(painted.every((bytes) => bytes.startsWith("\u001b[?2026h") && bytes.endsWith("\u001b[?2026l")));
});

test("on a terminal that breaks no rows, what is seen is drawn again in the new width", () => {
  const terminal = emulator(10, 5);
  const screen = new MainScreen((bytes) => terminal.write(bytes), { columns: 10, rows: 5 }, "none");
  screen.paint(frame(["one", "two", "three"], ["live"]));
  screen.resize({ columns: 8, rows: 5 }, ["one", "two", "three", "a long line of text"]);
  screen.paint(frame([], ["live"]));
  assert.deepEqual(terminal.screen(), ["two", "three", "a long l", "live", ""]);
});

test("where it is not known where the cursor is, it goes on in a new row", () => {
  const { terminal, screen } = rig(10, 4);
  terminal.write("shell\u001b[H");
  screen.restart({ columns: 10, rows: 4 });
  screen.paint(frame(["a"], ["b"]));
  assert.deepEqual(terminal.text(), ["shell", "", "", "", "a", "b"]);
});

test("a terminal that became lower and did not say so yet loses nothing that is finished", () => {
  const { terminal, screen } = rig(20, 6);
  screen.paint(frame(["1", "2", "3"], ["text", "> ", "status"], { row: 1, column: 2 }));
  // What stands below the cursor is taken away first.
  terminal.resize(20, 5);
  screen.paint(frame([], ["text", "more", "> ", "status"], { row: 2, column: 2 }));
  screen.resize({ columns: 20, rows: 5 }, []);
  screen.paint(frame(["4"], ["> ", "status"], { row: 0, column: 2 }));
  assert.deepEqual(terminal.text(), ["1", "2", "3", "4", "> ", "status"]);
});

test("of sizes that follow one another quickly the terminal has the last one first: rows may have been cut, and count as one", () => {
  const upTo = (ms: number): string => {
    const writes: string[] = [];
    const screen = new MainScreen((bytes) => writes.push(bytes), { columns: 60, rows: 9 });
    screen.resize({ columns: 40, rows: 9 }, [], 1_000);
    screen.paint(frame([], ["x".repeat(30), "> "], { row: 1, column: 2 }));
    screen.resize({ columns: 20, rows: 9 }, [], 1_000 + ms);
    return writes.at(-1)?.slice(0, 4) ?? "";
  };
  assert.deepEqual([upTo(299), upTo(300)], ["\u001b[1A", "\u001b[2A"]);
});

// Without joined characters: the emulator itself confuses those when it breaks rows.
const words = ["a", "word", "日本語", "🙂", "plain text here", "x".repeat(30)];
const lineOf = fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((parts) => parts.join(" "));
const size = fc.record({ columns: fc.integer({ min: 20, max: 60 }), rows: fc.integer({ min: 5, max: 16 }) });
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      print: fc.array(lineOf, { maxLength: 5 }),
      live: fc.array(lineOf, { maxLength: 6 }),
      row: fc.nat(6),
      column: fc.nat(60),
    }),
  },
  { weight: 1, arbitrary: size },
);

test("the scrollback and the screen are the finished lines in order, then what is live", () => {
  const seed = 8;
  let exact = 0;
  const numRuns = 80;
  fc.assert(
    fc.property(size, fc.array(step, { minLength: 1, maxLength: 25 }), (start, steps) => {
      const { terminal, screen } = rig(start.columns, start.rows);
      let now = start;
      let last: Frame = frame([], []);
      const printed: string[] = [];
      let n = 0;
      // The terminal moved some of what is live into its scrollback, where nobody can take it away.
      let hasRemains = false;
      for (const each of steps) {
        if ("columns" in each) {
          const before = now;
          now = each;
          const blank =
            before.rows - 1 - terminal.cursor().row - (live(last, before).length - 1 - row(last, before));
          if (now.rows < before.rows && blank > 0) hasRemains = true;
          terminal.resize(now.columns, now.rows);
          const at = { row: row(last, before), column: last.cursor?.column ?? 0 };
          const above = rowsAboveCursor(live(last, before), at, { before, now }, "xterm_js");
          if (above > terminal.cursor().row) hasRemains = true;
          screen.resize(now, []);
          last = { ...last, print: [] };
        } else {
          const print = each.print.map((line) => `${(n += 1)} ${line}`);
          printed.push(...print);
          last = frame(
            print,
            each.live.map((line) => `~${line}`),
            { row: each.row, column: each.column },
          );
        }
        screen.paint(last);
        // A wide character that did not fit leaves a blank cell at the end of a row that is broken.
        const bare = (lines: readonly string[]) => lines.map((line) => line.replaceAll(" ", ""));
        const text = bare(terminal.text());
        assert.deepEqual(
          text.filter((line) => !line.startsWith("~")),
          bare(printed),
        );
        if (!hasRemains) assert.deepEqual(text, bare([...printed, ...live(last, now)]));
      }
      if (!hasRemains) exact += 1;
    }),
    { seed, numRuns },
  );
  console.log(`seed ${seed}, ${numRuns} runs, ${exact} without remains`);
  assert.ok(exact > numRuns / 2);
});

function row(frame: Frame, size: ScreenSize): number {
  const shown = live(frame, size).length;
  return Math.max(0, Math.min((frame.cursor?.row ?? 0) - (frame.live.length - shown), shown - 1));
}

function live(frame: Frame, size: ScreenSize): string[] {
  return frame.live
    .slice(Math.max(0, frame.live.length - (size.rows - 1)))
    .map((line) => cut(line, size.columns));
}
