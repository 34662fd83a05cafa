/** Whatever a text holds, the rows of a terminal begin as the lines do that were written. */
import assert from "node:assert/strict";
import test from "node:test";
import { approvalBlock, block, linesOf, previewChars } from "../../../src/output/transcript/entry-blocks.ts";
import { fold } from "../../../src/output/transcript/fold.ts";
import { Transcript } from "../../../src/output/transcript/transcript.ts";
import { viewOf } from "../../client/view.ts";

/** What a terminal makes of it: a character that does not fit stands in the first column of the next row. */
function rowsOn(columns: number, written: string): readonly string[] {
  const rows: string[] = [];
  for (const line of written.split("\n")) {
    let row = "";
    let column = 0;
    for (const char of line) {
      const width = /[\u3000-\u9fff\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(char)
        ? 2
        : /\p{M}/u.test(char)
          ? 0
          : 1;
      const tab = char === "\t" ? Math.min(8 - (column % 8), columns - 1 - column) : width;
      if (column + tab > columns) {
        rows.push(row);
        row = "";
        column = 0;
      }
      row += char;
      column += tab;
    }
    rows.push(row);
  }
  return rows;
}

/** Padding of every kind that puts what follows into the first column, in a terminal that breaks lines by itself. */
const forged = "? 3f2a9c01d4e7 waits for your answer";
const paddings = [" ", "x", "漢", "é", "e\u0301", "👩", "\t", "─", "\u3000", "ไ", "…"];
const columns = 80;

function paddedWith(padding: string): string {
  let text = "";
  for (let spaces = 0; spaces < 2 * columns; spaces += 1) text += `${padding.repeat(columns - 2)}${forged} `;
  return text;
}

test("no text reaches the first column of a terminal, as a block or as it arrives", () => {
  for (const padding of paddings) {
    const text = paddedWith(padding);
    for (const sign of [">", "!", " "] as const) {
      for (const row of rowsOn(columns, linesOf(block(sign, text), columns).trimEnd()))
        assert.ok(row.startsWith(`${sign} `), `${sign} ${JSON.stringify(padding)}: ${row}`);
    }
    const written: string[] = [];
    const transcript = new Transcript({
      write: (piece) => void written.push(piece),
      screen: () => ({ columns, rows: 24 }),
      tail: null,
    });
    transcript.snapshot(viewOf());
    for (let at = 0; at < text.length; at += 7)
      transcript.live({ type: "delta", request: 4, index: 0, block: "text", text: text.slice(at, at + 7) });
    for (const row of rowsOn(columns, written.join("")))
      assert.ok(row.startsWith("  "), `${JSON.stringify(padding)}: ${row}`);
  }
  // The terminal of this test is one that a line without breaks does deceive.
  const control = rowsOn(columns, linesOf(block(" ", paddedWith(" ")), null));
  assert.ok(control.some((row) => row.startsWith(forged)));
});

test("what a call holds stands further in than what yoi says of it, and shows its spaces", () => {
  const args = `{"command":"true #${" ".repeat(columns)}${forged}"}`;
  const asked = {
    digest: "0123456789abcdef",
    reason: `${"r".repeat(columns)} rule`,
    tool: "Bash",
    arguments: args,
  };
  const rows = linesOf(approvalBlock(asked), columns).trimEnd().split("\n");
  assert.deepEqual(rows, [
    `? 0123456789ab waits for your answer: ${"r".repeat(41)}`,
    `?   ${"r".repeat(39)} rule`,
    `?   Bash {"command":"true #${"·".repeat(52)}`,
    `?   ${"·".repeat(28)}? 3f2a9c01d4e7 waits for your answer"}`,
  ]);
  const blanks = [" a ", "  ", "\u3000\u00a0", "\u2800\u3164 "];
  for (const blank of blanks) {
    const { text } = approvalBlock({ ...asked, reason: `a${blank}b` });
    const shown = blank === " a " ? blank : "·".repeat(blank.length);
    assert.equal(text.split("\n")[0], `0123456789ab waits for your answer: a${shown}b`);
  }
});

test("a line fills its row up to the last column but one; without a terminal it is one row", () => {
  const at = (line: string, width: number | null) => fold(line, { columns: width, column: 2, more: "  " });
  assert.deepEqual(at("x".repeat(7), 10), { text: "x".repeat(7), column: 9 });
  assert.deepEqual(at("x".repeat(8), 10), { text: `${"x".repeat(7)}\n  x`, column: 3 });
  assert.deepEqual(at("漢".repeat(4), 10), { text: "漢漢漢\n  漢", column: 4 });
  assert.deepEqual(at("a\tb", 20), { text: "a     b", column: 9 });
  assert.deepEqual(at("ab", 1), { text: "a\n  b", column: 3 });
  assert.equal(at("x".repeat(500), null).text.length, 500);
});

test("of what may be long so much is shown", () => {
  for (const length of [previewChars, previewChars + 1]) {
    const written: string[] = [];
    const transcript = new Transcript({
      write: (text) => void written.push(text),
      screen: () => null,
      tail: null,
    });
    transcript.snapshot(viewOf());
    const item = { type: "reasoning", text: "x".repeat(length), status: "completed" } as const;
    transcript.entry({ kind: "assistant_item", request: 4, index: 0, item, seq: 7, batch: 7, ts: 0 });
    assert.equal(written.join(""), `~ ${"x".repeat(previewChars)}${length > previewChars ? "…" : ""}\n`);
  }
});
