/** One version: what the program records is what the package says, from which the launcher prints it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { version } from "../src/version.ts";

test("the version is the package's", () => {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  assert.equal((JSON.parse(text) as { version: string }).version, version);
});
