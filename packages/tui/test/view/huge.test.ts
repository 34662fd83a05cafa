/** Texts of a hundred thousand lines and of nothing but blanks: each is shown in the time that it takes to read it once, and nothing throws. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseCommand } from "../../src/commands/parse.ts";
import { completableAt } from "../../src/composer/completion.ts";
import { composerOf } from "../../src/composer/composer.ts";
import { sectionsOf, rowsFrom } from "../../src/dialogs/pager.ts";
import type { Block, BlockBody } from "../../src/session/block.ts";
import { joinedLines } from "../../src/session/joined-lines.ts";
import { preview, previewCharsMax } from "../../src/session/notes.ts";
import { answerRowsMax, blockLines } from "../../src/view/block/block-lines.ts";
import { diffLines } from "../../src/view/diff.ts";
import { shownOf } from "../../src/view/frame.ts";
import { nothingPrinted } from "../../src/view/printed.ts";
import { themeNamed } from "../../src/view/themes.ts";
import { showPager } from "../../src/app/update/pager.ts";
import { noPod, withPod } from "../app/support/states.ts";

const theme = themeNamed("none");
const finished = (body: BlockBody): Block => ({ ...body, n: 0, id: "1", isFinished: true });
const call = (more: Partial<Extract<BlockBody, { readonly kind: "call" }>>): Block =>
  finished({
    kind: "call",
    call: "1.0",
    tool: "Bash",
    arguments: "{}",
    progress: "done",
    output: "",
    summary: "x",
    content: "",
    diff: null,
    images: 0,
    ...more,
  });
const shown = (block: Block, isExpanded = false) => blockLines(block, { columns: 80, theme, isExpanded });

/** Milliseconds of the processor, of which what is read once takes a small part, and what is read again for each of its characters many times as many. */
const cpuMsMax = 400;
const blanks = 150_000;

describe("blanks", () => {
  const long = `a${" ".repeat(blanks)}x`;
  const returns = `${"\r".repeat(blanks)}x`;
  const queued = { id: "q", when: "run_end", parts: [{ type: "text", text: long }] } as const;
  for (const [name, work] of [
    ["content", () => shown(call({ content: long }))],
    [
      "output of a command",
      () => shown(finished({ kind: "command", command: "ls", progress: "failed", output: long })),
    ],
    ["an input", () => shown(finished({ kind: "input", parts: [{ type: "text", text: long }] }))],
    ["a note", () => shown(finished({ kind: "note", level: "warn", text: long }))],
    [
      "output that is written over",
      () => shown(call({ progress: "running", summary: null, output: returns })),
    ],
    ["a preview", () => preview(long)],
    ["a field", () => joinedLines(`${long}\n${long}`)],
    ["a queued input", () => shownOf(withPod({ queue: [queued], state: "running" }), nothingPrinted)],
    ["a command", () => parseCommand(`/btw ${long}`)],
    ["a word of a command", () => completableAt(composerOf(`!${"a".repeat(blanks)}"`), true)],
  ] as const)
    test(name, () => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      assert.ok((user + system) / 1_000 < cpuMsMax, `${(user + system) / 1_000} ms`);
    });
});

const lines = 150_000;

describe("lines", () => {
  const text = "a\n\n".repeat(lines / 2);
  const answer = finished({ kind: "answer", text, progress: "whole" });

  test("an answer has so many rows, and says how many lines it has", () => {
    const rows = shown(answer);
    assert.equal(rows.length, answerRowsMax + 1);
    assert.equal(rows.at(-1), `- … ${lines - 1} lines in all: /export writes them into a file`);
    const one = finished({ kind: "answer", text: "a\n\n".repeat(answerRowsMax / 2), progress: "whole" });
    assert.equal(shown(one).at(-1), "  a");
  });

  test("it is printed, looked at on the second screen, and paged", () => {
    const state = withPod({ blocks: [answer] });
    assert.equal(shownOf(state, nothingPrinted).screen, "main");
    const alternate = { ...state, settings: { ...state.settings, screen: "alternate" as const } };
    assert.equal(shownOf(alternate, nothingPrinted).screen, "alternate");
    const [dialog] = showPager(noPod, "t", { of: "text", text }).dialogs;
    assert.equal(dialog?.kind, "pager");
    if (dialog?.kind !== "pager") return;
    assert.deepEqual(rowsFrom(sectionsOf(dialog, noPod), { section: 1, row: 0 }, 2), ["", "a"]);
  });

  test("a diff", () => {
    const rows = diffLines(`@@ -1,0 +1,${lines} @@\n${"+a\n".repeat(lines)}`, {
      columns: 80,
      theme,
      rowsMax: 3,
    });
    assert.deepEqual(rows, ["     1 + a", `… ${lines - 2} lines`, `${lines} + a`]);
  });
});

test("lines joined are those that are not blank", () => {
  assert.equal(joinedLines(" a "), " a ");
  assert.equal(joinedLines("a \n\n  b\n"), "a b");
  assert.equal(preview(`a${"\n".repeat(8 * previewCharsMax)}b`), "a…");
  assert.equal(preview("a".repeat(previewCharsMax)), "a".repeat(previewCharsMax));
  assert.equal(preview("a".repeat(previewCharsMax + 1)), `${"a".repeat(previewCharsMax)}…`);
});
