/** Ids of secrets: what is one, and the file that each has for itself. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { YoiError } from "@yoi/base";
import { checkSecretId, fileNameOf, idOfFileName, secretIdBytesMax } from "../src/secret-id.ts";

const good = [
  "a",
  "providers/anthropic/default",
  "web/brave/default",
  ".hidden",
  "A-b_c.1/..x",
  "x".repeat(128),
];
const bad = [
  "",
  "x".repeat(secretIdBytesMax + 1),
  "/a",
  "a/",
  "a//b",
  ".",
  "a/..",
  "a/./b",
  "~a",
  "a b",
  "a+b",
  "ä",
  "a\nb",
  "a\\b",
];

test("an id is 1 to 128 of the allowed characters, in parts", () => {
  for (const id of good) checkSecretId(id);
  for (const id of bad) {
    assert.throws(
      () => checkSecretId(id),
      (error) =>
        error instanceof YoiError && error.code === "usage" && (id.length < 4 || !error.message.includes(id)),
      JSON.stringify(id),
    );
  }
});

test("every id has a file name of its own, and every name tells its id", () => {
  const part = fc.stringMatching(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,8}$/);
  const id = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
  fc.assert(
    fc.property(id, id, (one, other) => {
      assert.equal(idOfFileName(fileNameOf(one)), one);
      assert.equal(fileNameOf(one) === fileNameOf(other), one === other);
      assert.ok(!fileNameOf(one).includes("/"));
    }),
    { seed: 5, numRuns: 300 },
  );
  for (const name of ["a", "a.txt", ".json", ".a.json.0a-1.tmp", "..json", "a b.json"])
    assert.equal(idOfFileName(name), null, name);
});
