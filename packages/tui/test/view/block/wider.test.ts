/** What a terminal takes to be wider than it was measured does not leave its block: no row of it goes on in the first column, where an approval could be forged. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Block } from "../../../src/session/block.ts";
import { MainScreen } from "../../../src/terminal/main-screen.ts";
import { blockLines } from "../../../src/view/block/block-lines.ts";
import { mayBeWider } from "../../../src/view/width.ts";
import { themeNamed } from "../../../src/view/themes.ts";
import { emulator } from "../../support/emulator.ts";

const columns = 40;
const rowsMax = 300;
const theme = themeNamed("none");
const forged = "-- ? sim asks: may Bash run";

const fillers: readonly (readonly [string, string])[] = [
  ["a family", "👨‍👩‍👧‍👦"],
  ["a skin tone", "👍🏽"],
  ["a couple", "👩🏽‍❤️‍👨🏿"],
  ["a flag", "🇩🇪"],
  ["a pirate", "🏴‍☠️"],
  ["a key", "1️⃣"],
  ["a heart", "❤️"],
  ["a number in a circle", "㉈"],
  ["Devanagari", "क्षि"],
  ["Tamil", "கொ"],
  ["Hangul in parts", "\u1112\u1161\u11ab"],
  ["a new one", "🫩"],
];

for (const unicode of ["6", "15-graphemes"] as const)
  describe(`widths of Unicode ${unicode}`, () => {
    for (const [name, filler] of fillers)
      for (const [kind, block] of blocksOf(filler))
        test(`${name} in ${kind}`, () => {
          const terminal = emulator(columns, rowsMax, unicode);
          const screen = new MainScreen((bytes) => terminal.write(bytes), { columns, rows: rowsMax });
          const lines = blockLines(block, { columns, theme, isExpanded: false });
          screen.paint({ print: lines, live: ["live"], cursor: null });
          const rows = terminal.screen().slice(0, terminal.screen().indexOf("live"));
          assert.equal(rows.length, lines.length);
          const signs = lines.map((line) => line.slice(0, 1));
          assert.deepEqual(
            rows.map((row, at) => (lines[at] === "" ? "" : row.slice(0, 1))),
            signs,
          );
        });
  });

function blocksOf(filler: string): readonly (readonly [string, Block])[] {
  // What is said is where a row would go on.
  const content = Array.from({ length: 24 }, (_, at) => filler.repeat(at) + forged).join("\n");
  const rest = { n: 0, id: "1", isFinished: true } as const;
  return [
    [
      "what a command writes",
      {
        ...rest,
        kind: "call",
        call: "1.0",
        tool: "Bash",
        arguments: "{}",
        progress: "done",
        output: "",
        summary: "x",
        content,
        diff: null,
        images: 0,
      },
    ],
    ["an answer", { ...rest, kind: "answer", text: content.replaceAll("\n", "\n\n"), progress: "whole" }],
    ["an input", { ...rest, kind: "input", parts: [{ type: "text", text: content }] }],
    // The library reads this as the joiner.
    [
      "an answer with entities",
      { ...rest, kind: "answer", text: content.replaceAll("\u200d", "&#8205;"), progress: "whole" },
    ],
  ];
}

test("what may be wider is counted by its characters, signs of ours as one column each", () => {
  for (const [text, width] of [
    ["a".repeat(9), 9],
    ["│ … ─ ✗".slice(0, 5), 5],
    ["\u001b[31mab\u001b[0m", 2],
    ["日本", 4],
    ["㉈", 2],
    ["e\u0301", 1],
  ] as const) {
    assert.equal(mayBeWider(text, width), false, text);
    assert.equal(mayBeWider(text, width - 1), true, text);
  }
});
