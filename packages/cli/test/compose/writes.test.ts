/** How often `--write` may be given. */
import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { writesInForce, writesMax } from "../../src/compose/writes.ts";

test(`--write is taken ${writesMax} times, and no more`, async () => {
  const workspace = realpathSync(tmpdir());
  const given = (count: number) =>
    writesInForce({ write: Array.from({ length: count }, () => workspace) }, workspace, null);
  // Its own name alone: of what is granted outside of it nothing is left.
  assert.deepEqual(await given(writesMax), [workspace]);
  await assert.rejects(given(writesMax + 1), {
    code: "usage",
    message: `--write is given ${writesMax + 1} times, and the most is ${writesMax}.`,
  });
});
