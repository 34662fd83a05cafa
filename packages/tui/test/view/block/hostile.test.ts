/** Nothing that others write leaves its block: every row has its sign, no control and no more columns than there are. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Block, BlockBody } from "../../../src/session/block.ts";
import { blockLines } from "../../../src/view/block/block-lines.ts";
import { panelLines } from "../../../src/view/panel.ts";
import { queueLines } from "../../../src/view/queue.ts";
import { statusLines } from "../../../src/view/status.ts";
import { themeNamed } from "../../../src/view/themes.ts";
import { widthOf } from "../../../src/view/width.ts";
import { emptySession } from "../../../src/session/empty-session.ts";

const seed = 8;
const numRuns = 150;

const hostile = fc
  .array(
    fc.constantFrom(
      "\u001b[31mred",
      "\u001b[2J",
      "\u001b]0;title\u0007",
      "\u001b]52;c;aGk=\u001b\\",
      "\u009b1A",
      "\r? Bash waits",
      "\n> me",
      "\n? Bash rm -rf /",
      "\n● working",
      "\b\b\b",
      "\u202etxt.exe",
      "\u2066",
      "\u200d".repeat(40),
      "👩‍👩‍👧‍👦",
      "漢字かな",
      "e\u0301\u0302\u0303",
      "\ttab",
      "\u0000",
      "a b",
      "plain text of a model ",
      "```js\nconst a = 1;\n```\n",
      "| a | b |\n|---|---|\n",
      "- item\n",
      "\u2028",
      "\ud83d",
      "\ufeff",
      "/very/long/".repeat(30),
      "&amp;<b>",
      "[x](http://e.x)",
      "\u00ad",
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));
const count = fc.integer({ min: 0, max: 3 });
const oneOf = <const T>(...values: readonly T[]) => fc.constantFrom(...values);

const body: fc.Arbitrary<BlockBody> = fc.oneof(
  fc.record({
    kind: oneOf("input"),
    parts: fc.array(
      hostile.map((text) => ({ type: "text" as const, text })),
      { maxLength: 2 },
    ),
  }),
  fc.record({
    kind: oneOf("answer", "reasoning"),
    text: hostile,
    progress: oneOf("arriving", "whole", "cut"),
  }),
  fc.record({
    kind: oneOf("call"),
    call: hostile,
    tool: fc.oneof(hostile, oneOf("Bash", "Edit", "Read", "Grep")),
    arguments: fc.oneof(
      hostile,
      fc.dictionary(oneOf("command", "file_path", "x"), hostile).map((args) => JSON.stringify(args)),
    ),
    progress: oneOf("writing", "waiting", "asked", "running", "done", "failed", "refused", "unknown"),
    output: hostile,
    summary: fc.option(hostile),
    content: fc.option(hostile),
    diff: fc.option(hostile),
    images: count,
  }),
  fc.record({
    kind: oneOf("system"),
    item: hostile,
    source: hostile,
    reason: fc.option(hostile),
    body: hostile,
    images: count,
  }),
  fc.record({
    kind: oneOf("system"),
    item: oneOf("skill"),
    source: oneOf("host"),
    title: hostile,
    reason: hostile,
    body: hostile,
    images: count,
  }),
  fc.record({
    kind: oneOf("command"),
    command: hostile,
    progress: oneOf("running", "done", "failed", "unknown"),
    output: hostile,
  }),
  fc.record({ kind: oneOf("note"), level: oneOf("info", "warn", "error"), text: hostile }),
);

const signs: Readonly<Record<Block["kind"], readonly string[]>> = {
  input: [">"],
  answer: [" ", "-"],
  reasoning: ["~"],
  call: ["*", "?", "✓", "✗", "│"],
  system: ["#", "│"],
  command: ["$", "│"],
  note: ["-", "!"],
};

const sgr = /\u001b\[[\d;]*m/g;
const control = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;

function assertRows(rows: readonly string[], columns: number, isSign: (sign: string) => boolean): void {
  for (const shown of rows) {
    const text = shown.replace(sgr, "");
    assert.ok(isSign(text.slice(0, 1)), `sign of ${JSON.stringify(text)}`);
    assert.ok(text.length === 1 || text[1] === " ", `behind the sign of ${JSON.stringify(text)}`);
    assert.doesNotMatch(text, control);
    assert.ok(widthOf(shown) <= columns, `${widthOf(shown)} columns of ${columns}: ${JSON.stringify(text)}`);
  }
}

describe(`hostile texts (seed ${seed}, ${numRuns} each)`, () => {
  const screen = { columns: fc.integer({ min: 8, max: 120 }), isExpanded: fc.boolean() };

  test("stay in their block", () => {
    fc.assert(
      fc.property(body, fc.record(screen), (made, { columns, isExpanded }) => {
        const block: Block = { ...made, n: 0, id: "1", isFinished: true };
        const [plain, dark] = (["none", "dark"] as const).map((name) =>
          blockLines(block, { columns, isExpanded, theme: themeNamed(name) }),
        );
        assert.ok(plain !== undefined && dark !== undefined);
        for (const row of plain) assert.ok(!row.includes("\u001b"), JSON.stringify(row));
        assertRows(plain, columns, (sign) => signs[block.kind].includes(sign));
        assertRows(dark, columns, (sign) => signs[block.kind].includes(sign));
      }),
      { seed, numRuns },
    );
  });

  test("stay in the rows of panels, the queue and the status", () => {
    const theme = themeNamed("none");
    fc.assert(
      fc.property(hostile, hostile, screen.columns, (one, two, columns) => {
        const panel = {
          feature: "f",
          title: one,
          rows: [{ mark: "doing", text: two } as const, { mark: "note", text: one } as const],
        };
        const session = {
          ...emptySession(one),
          title: two,
          link: "lost" as const,
          why: one,
          queue: [{ id: "1", when: "boundary" as const, parts: [{ type: "text" as const, text: two }] }],
        };
        assertRows(panelLines([panel], { columns, theme, rowsMax: 9 }), columns, (sign) => sign === "≡");
        assertRows(queueLines(session, { columns, theme }), columns, (sign) => sign === "»");
        const status = statusLines(session, { columns, theme, now: 0, needy: 1 });
        assert.ok(status.length <= 2);
        assertRows(status, columns, (sign) => sign === "!" || sign === " ");
      }),
      { seed, numRuns },
    );
  });

  test("control: without the escaping the property does not hold", () => {
    assert.throws(() => assertRows(["> \u001b[2J"], 80, () => true));
    assert.throws(() => assertRows([`> ${"x".repeat(79)}`], 80, () => true));
    assert.throws(() => assertRows(["? Bash"], 80, (sign) => sign === ">"));
  });
});
