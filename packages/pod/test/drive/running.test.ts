/** A run over compactions: clients saw one of its invokes, whichever, and stop it by that. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Running } from "../../src/drive/running.ts";

test("a run is known by each of its invokes, and by no other", () => {
  const running = new Running();
  const ids = ["5", "1-13", "2-15"];
  for (const id of ids) running.invoked(id);
  assert.deepEqual(
    [...ids, "3-2"].map((id) => running.isNamed(id)),
    [true, true, true, false],
  );
});
