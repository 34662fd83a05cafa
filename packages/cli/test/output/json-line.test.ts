/** A line of JSON holds nothing that ends a line early or disturbs a terminal, and is read back as it was. */
import assert from "node:assert/strict";
import test from "node:test";
import { jsonLine } from "../../src/output/json-line.ts";

test("what would disturb is escaped, and what is read back is the same", () => {
  const escaped = "\u0000\n\u001b\u007f\u0085\u009f\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069";
  const kept = "~\u00a0\u200b\u200d\u2027\u202f\u2065\u206aé漢";
  const line = jsonLine({ text: escaped + kept });
  assert.deepEqual(JSON.parse(line), { text: escaped + kept });
  assert.ok(line.endsWith(`${kept}"}\n`));
  for (const char of escaped) assert.ok(!line.slice(0, -1).includes(char), JSON.stringify(char));
});
