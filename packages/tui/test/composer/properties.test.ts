/** What is true of the composer whatever is done to it. */
import assert from "node:assert/strict";
import test from "node:test";
import { type InputPart, joinTexts } from "@yoi/base";
import fc from "fast-check";
import { cellBoundary, nextCell, previousCell } from "../../src/composer/cells.ts";
import { plainText } from "../../src/composer/chip.ts";
import {
  type Composer,
  type ComposerEdit,
  composerOf,
  composerOfParts,
  edit,
  emptyComposer,
  partsOf,
  textOf,
} from "../../src/composer/composer.ts";
import { historyOf } from "../../src/composer/history.ts";
import { placeOf, rowsOf } from "../../src/composer/layout.ts";
import { motions } from "../../src/composer/motions.ts";

const seed = 20_261_122;
const count = 300;
const check = <T extends [unknown, ...unknown[]]>(property: fc.IPropertyWithHooks<T>): void => {
  fc.assert(property, { seed, numRuns: count });
};
test(`properties of the composer: seed ${seed}, ${count} cases each`, () => undefined);

const piece = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.constantFrom(
    "a",
    " ",
    "\n",
    "word",
    "日本語",
    "👨‍👩‍👧",
    "e\u0301",
    "\u0301",
    "\u200d",
    "🇯🇵",
    "\t",
    "\u001b[31m",
    "@a",
    "\ud800",
    "\udc01",
  ),
);
const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
const columns = fc.integer({ min: 1, max: 30 });
const history = historyOf(["one", "two\nlines", "三"]);

const anyEdit: fc.Arbitrary<ComposerEdit> = fc.oneof(
  piece.map((value) => ({ type: "insert", text: value }) as const),
  text.map((value) => ({ type: "paste", text: value }) as const),
  fc
    .integer({ min: 0, max: 3 })
    .map((lines) => ({ type: "paste", text: "long\n".repeat(9 + lines) }) as const),
  fc
    .constantFrom(
      "newline",
      "continue_line",
      "backspace",
      "delete",
      "yank",
      "yank_older",
      "undo",
      "redo",
      "clear",
    )
    .map((type) => ({ type }) as const),
  fc.constantFrom(...motions).map((to) => ({ type: "move", to }) as const),
  fc.constantFrom(...motions).map((to) => ({ type: "kill", to }) as const),
  columns.map((wide) => ({ type: "up", columns: wide, history }) as const),
  columns.map((wide) => ({ type: "down", columns: wide, history }) as const),
  fc.constantFrom("history_previous", "history_next").map((type) => ({ type, history }) as const),
  text.map((value) => ({ type: "set", text: value }) as const),
);
const edits = fc.array(anyEdit, { maxLength: 30 });

const after = (steps: readonly ComposerEdit[]): Composer => steps.reduce(edit, emptyComposer);

test("the cursor is between two cells, and every chip is known", () => {
  check(
    fc.property(edits, (steps) => {
      const composer = after(steps);
      assert.equal(cellBoundary(composer.text, composer.cursor), composer.cursor);
      assert.doesNotMatch(textOf(composer), /[\ud800-\udfff]/u);
    }),
  );
});

test("a cell forth and back is where it began, and neither leaves the text", () => {
  check(
    fc.property(text, fc.nat(40), (value, at) => {
      const plain = plainText(value);
      const place = cellBoundary(plain, at);
      const next = nextCell(plain, place);
      assert.ok(next <= plain.length && (next > place || place === plain.length));
      if (next > place) assert.equal(previousCell(plain, next), place);
    }),
  );
});

test("inserting is a splice of the text", () => {
  check(
    fc.property(edits, piece, (steps, value) => {
      const composer = after(steps);
      const { text: before, cursor } = composer;
      const next = edit(composer, { type: "insert", text: value });
      assert.equal(next.text, before.slice(0, cursor) + plainText(value) + before.slice(cursor));
      assert.ok(next.cursor >= cursor + plainText(value).length);
    }),
  );
});

test("undoing everything gives the beginning, and redoing everything the end", () => {
  const steps = fc.array(
    anyEdit.filter(({ type }) => !["undo", "redo", "clear"].includes(type)),
    { maxLength: 30 },
  );
  check(
    fc.property(steps, (done) => {
      const end = after(done);
      let composer = end;
      for (let n = 0; n <= done.length; n += 1) composer = edit(composer, { type: "undo" });
      assert.equal(composer.text, "");
      for (let n = 0; n <= done.length; n += 1) composer = edit(composer, { type: "redo" });
      assert.equal(textOf(composer), textOf(end));
    }),
  );
});

test("one undo takes back any one edit that is not typing", () => {
  check(
    fc.property(edits, anyEdit, (steps, last) => {
      fc.pre(!["insert", "undo", "redo", "clear", "yank_older"].includes(last.type));
      const before = after(steps);
      const next = edit(before, last);
      if (next.text === before.text) return;
      const { text: was, cursor } = edit(next, { type: "undo" });
      assert.deepEqual({ was, cursor }, { was: before.text, cursor: before.cursor });
    }),
  );
});

test("an input comes back as what it was, whatever it holds", () => {
  const part: fc.Arbitrary<InputPart> = fc.oneof(
    text.map((value) => ({ type: "text", text: plainText(value) }) as const),
    fc
      .oneof(
        fc.constantFrom("a", "src/a.ts", "my file", 'q"q', "x,", "dir/", "@", "\\@", ".."),
        text.map(plainText),
      )
      .map((path) => ({ type: "file_ref", path }) as const),
    fc.constantFrom("release", "review", "skill", "3d").map((name) => ({ type: "skill_ref", name }) as const),
    fc
      .constantFrom(
        "/release",
        "/review x",
        " /x",
        "\\/x",
        "/a/b",
        " y",
        "@x",
        " @x",
        "\\@x",
        "a\\@x",
        "\\\\@",
        ",",
      )
      .map((value) => ({ type: "text", text: value }) as const),
  );
  check(
    fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
      assert.deepEqual(partsOf(composerOfParts(parts)), joinTexts(parts));
    }),
  );
});

test("rows hold the whole text in order, are as wide as they may be, and the cursor is in one", () => {
  check(
    fc.property(text, columns, fc.nat(40), (value, wide, at) => {
      const composer = composerOf(value);
      const rows = rowsOf(composer.text, composer.chips, wide);
      let from = 0;
      for (const row of rows) {
        assert.equal(row.from, from);
        const width = row.cells.reduce((sum, cell) => sum + cell.width, 0);
        const hangs = row.isWrapped && row.cells.at(-1)?.text === " ";
        assert.ok(width <= (hangs ? wide + 1 : wide), `${width} columns of ${wide}`);
        from = row.isWrapped ? row.to : row.to + 1;
      }
      assert.equal(from, composer.text.length + 1);
      const place = placeOf(rows, cellBoundary(composer.text, at));
      assert.ok(place.row < rows.length && place.column <= wide);
    }),
  );
});
