/** A log entry as a line: what a request used and cost. */
import assert from "node:assert/strict";
import test from "node:test";
import { type Entry, noUsage } from "@yoi/base";
import { describeEntry } from "../../src/discovery/describe-entry.ts";

test("the line of a usage record has tokens and money, and no money where none is known", () => {
  const entry: Entry = {
    seq: 9,
    batch: 9,
    ts: 0,
    kind: "llm_usage",
    request: 7,
    usage: { ...noUsage, input_tokens: 900, output_tokens: 12 },
    finish: "stop",
  };
  assert.match(describeEntry(entry), / llm_usage +900 in, 12 out, stop$/);
  assert.match(
    describeEntry({ ...entry, cost_nano_usd: 1_920_000 }),
    / llm_usage +900 in, 12 out, \$0\.0019, stop$/,
  );
  assert.match(
    describeEntry({ ...entry, attempt: 2, finish: "interrupted" }),
    / llm_usage +attempt 2: 900 in, 12 out, interrupted$/,
  );
});
