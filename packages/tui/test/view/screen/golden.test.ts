/** Each screen looks as its golden one does: `node packages/tui/test/view/screen/write-golden.ts` writes them anew. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { goldenScreens } from "./golden.ts";

const folder = new URL("golden/", import.meta.url);

test("the main views and each dialog look as their golden screens, at 80x24 and 200x50", () => {
  const screens = goldenScreens();
  assert.deepEqual(readdirSync(folder).toSorted(), [...screens.keys()].toSorted());
  for (const [name, screen] of screens)
    assert.equal(screen, readFileSync(new URL(name, folder), "utf8"), name);
});
