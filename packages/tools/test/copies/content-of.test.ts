/** What a file holds: its bytes, or in a word why there are none. A disk that fails is no reason for a command to fail. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { scopeRule } from "@yoi/scope";
import { createScopedFiles } from "../../src/index.ts";
import { contentOf } from "../../src/scoped-files/content-of.ts";

test("a file that the operating system fails to read, one that is too large, and one that is not there", () => {
  const directory = `/proc/${process.pid}`;
  const files = createScopedFiles({
    scope: () => ({ allow: [scopeRule(directory, "read")], deny: [] }),
    protection: { hidden: [], readOnly: [], spill: null, workspace: directory, home: null, programs: [] },
  });
  const descent = files.descend();
  try {
    // Nothing is at its address 0: EIO.
    assert.equal(contentOf(descent, `${directory}/mem`, 1), "unreadable");
    assert.equal(contentOf(descent, `${directory}/none`, 1), "unreadable");
    assert.equal(contentOf(descent, `${directory}/none/none`, 1), "unreadable");
    assert.equal(contentOf(descent, `${directory}/comm`, -1), "large");
    assert.notEqual(contentOf(descent, `${directory}/comm`, 0)?.length, 0);
  } finally {
    descent.close();
  }
});
