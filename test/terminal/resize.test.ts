/** A terminal whose size changes while an answer streams: what is finished stands there whole, once and in order. */
import assert from "node:assert/strict";
import test from "node:test";
import { noTmux, Terminals } from "../support/tmux.ts";
import { podArgv } from "./pods.ts";

const skip = noTmux();
/** Each is one row on every size. */
const lines = Array.from({ length: 170 }, (_, n) => `Row ${n} of what streams, 日本語 🙂.`);
const sizes = [
  [60, 20],
  [120, 40],
  [80, 24],
] as const;

test("resized while it streams", { skip }, async () => {
  using terminals = new Terminals();
  const text = lines.join("\n\n");
  const yoi = terminals.open(podArgv(terminals.home, "site", [{ text, pace_ms: 4, chunk: 12 }]));
  await yoi.shows(/Ask for something/);
  yoi.type("go");
  yoi.press("Enter");
  for (const [at, [columns, rows]] of sizes.entries()) {
    await yoi.holds(new RegExp(`Row ${40 * (at + 1)} of`));
    yoi.resize(columns, rows);
  }
  await yoi.shows(/Row 169 of[^]*○ ready/);
  assert.deepEqual(yoi.all().match(/Row \d+ of .*/g), lines);
  assert.equal(yoi.all().match(/○ ready/g)?.length, 1);
  assert.equal(yoi.all().match(/^> go$/gm)?.length, 1);
});
