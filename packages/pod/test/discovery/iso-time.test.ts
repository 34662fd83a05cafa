/** Times for a person: every number has a text. */
import assert from "node:assert/strict";
import test from "node:test";
import { describeEntry } from "../../src/discovery/describe-entry.ts";
import { isoTime } from "../../src/discovery/iso-time.ts";

for (const [ms, text] of [
  [0, "1970-01-01T00:00:00.000Z"],
  [8_640_000_000_000_000, "+275760-09-13T00:00:00.000Z"],
  [8_640_000_000_000_001, "8640000000000001 ms (out of range)"],
  [9e15, "9000000000000000 ms (out of range)"],
] as const) {
  test(`${ms}`, () => {
    assert.equal(isoTime(ms), text);
  });
}

test("an entry with an impossible time is shown", () => {
  const shown = describeEntry({ seq: 7, batch: 7, ts: 9e15, kind: "segment_ready" });
  assert.equal(shown, "     7  9000000000000000 ms (out of range)  segment_ready");
});
