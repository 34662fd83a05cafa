/** The count of skipped tests. */
import assert from "node:assert/strict";
import test from "node:test";
import { skippedTests } from "./skipped-tests.ts";

async function reported(
  events: readonly (readonly [type: string, name: string, skip?: string | boolean])[],
): Promise<string> {
  async function* source() {
    for (const [type, name, skip] of events)
      yield { type, data: skip === undefined ? { name } : { name, skip } };
  }
  let text = "";
  for await (const line of skippedTests(source())) text += line;
  return text;
}

test("skipped tests are counted by reason and named", async () => {
  const text = await reported([
    ["test:pass", "a", "skipped: no bubblewrap"],
    ["test:pass", "b"],
    ["test:pass", "c", "no bubblewrap"],
    ["test:fail", "d"],
    ["test:pass", "e", true],
    ["test:pass", "f", false],
    ["test:start", "g", "no bubblewrap"],
  ]);
  assert.equal(text, "skipped: no bubblewrap (2 tests): a, c\nskipped: no reason given (1 test): e\n");
});

test("nothing skipped, nothing said", async () => {
  assert.equal(await reported([["test:pass", "a"]]), "");
});
