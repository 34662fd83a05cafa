/** Threads that are made to be slow to read are read all the same, in time that grows as they do. */
import assert from "node:assert/strict";
import test from "node:test";
import { lineSumOf } from "../../packages/tickets/src/render-event.ts";
import { parseThread } from "../../packages/tickets/src/thread.ts";
import { bodyBytesMax } from "../../packages/tickets/src/ticket.ts";

test("hostile threads are read in time that grows as they do", () => {
  const tangle = (id: string, line: string, times: number) =>
    `<!-- event: comment id: ${id} sum: 0 -->\n${line}\n<!-- end: ${id} lines: ${lineSumOf(line).repeat(times)} -->\n<!-- end: x -->\n`;
  const long = "z".repeat(100_000);
  const rows: readonly [string, number][] = [
    ["<!-- event: comment".concat("\n").repeat(30_000), 0],
    ["<!-- event: comment -->\n".repeat(20_000), 20_000],
    ["<!-- event: comment id: a -->\n<!-- end: b -->\n".repeat(20_000), 20_000],
    [`<!-- event: ${"a: ".repeat(30_000)}`, 0],
    [`<!-- event: "${"\\".repeat(300_000)}" -->`, 0],
    [`${"\\".repeat(300_000)}<!-- event: x`, 0],
    [`<!-- event: comment id: a sum: x -->\n${" ".repeat(300_000)}\n${"\n".repeat(30_000)}`, 1],
    [tangle("a", "z", bodyBytesMax), 1],
    [Array.from({ length: 5_000 }, (_, at) => tangle(`${at}`, at === 0 ? long : "z", 3)).join(""), 5_000],
    [
      `${tangle("a", long, 1)}${Array.from({ length: 5_000 }, (_, at) => tangle(`${at}`, long.slice(0, 1), 4).replace(/lines: \S+/, `lines: ${lineSumOf(long).repeat(5)}`)).join("")}`,
      5_001,
    ],
  ];
  for (const [thread, count] of rows) {
    const start = performance.now();
    assert.equal(parseThread(thread).events.length, count);
    // Ten times what a slow machine needs; what is quadratic would take minutes.
    assert.ok(performance.now() - start < 5_000, `${thread.slice(0, 40)} took too long`);
  }
});
