/** Each block looks as its golden frame does: `node packages/tui/test/view/block/write-golden.ts` writes them anew. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { goldenFrames } from "./golden.ts";

const folder = new URL("golden/", import.meta.url);

test("each block and row beside them looks as its golden frame, at 80x24 and 200x50", () => {
  const frames = goldenFrames();
  assert.deepEqual(readdirSync(folder).toSorted(), [...frames.keys()].toSorted());
  for (const [name, frame] of frames) assert.equal(frame, readFileSync(new URL(name, folder), "utf8"), name);
});
