/** Searches at their limits: without the sandbox that was wanted, and of more than one run of ripgrep may print. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { test } from "node:test";
import { rgPath } from "@vscode/ripgrep";
import { scopeRule } from "@yoi/scope";
import { makeSearchPlace, searcher } from "./places.ts";

test("where the sandbox is missing Grep works all the same, but not with a ripgrep that tools may write", async () => {
  const place = makeSearchPlace();
  place.put("a.txt", "needle\n");
  const search = await searcher(place, "on", "/nonexistent");
  try {
    assert.equal(search.runner.status.mode, "missing");
    const found = `Grep "needle": 1 file\n${place.workspace}/a.txt`;
    assert.equal(await search.call("Grep", { pattern: "needle" }), found);
    place.scope = { allow: [...place.scope.allow, scopeRule(dirname(rgPath), "write")], deny: [] };
    assert.match(
      await search.call("Grep", { pattern: "needle" }),
      /^sandbox_missing: .*is not run without the sandbox, because tools may write it\./,
    );
  } finally {
    await search.close();
    place.remove();
  }
});

test("what one run would print too much of is searched in parts, and one file of too many matches is said", async () => {
  const place = makeSearchPlace();
  const lines = 300_000;
  for (const name of ["a", "b", "c"]) place.put(`${name}.txt`, "xx\n".repeat(lines));
  const search = await searcher(place, "off");
  try {
    const found = await search.call("Grep", { pattern: "x", output_mode: "count" });
    const each = ["a", "b", "c"].map((name) => `${place.workspace}/${name}.txt:${lines}`);
    assert.equal(found, [`Grep "x": 3 files with ${3 * lines} matching lines`, ...each].join("\n"));
    place.put("d.txt", "xx\n".repeat(2 * lines));
    assert.match(
      await search.call("Grep", { pattern: "x" }),
      /^limit_exceeded: The pattern matches more lines of one file/,
    );
  } finally {
    await search.close();
    place.remove();
  }
});
