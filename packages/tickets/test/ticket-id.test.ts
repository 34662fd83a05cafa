/** Ids say the time, and sort by it. */
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { encodeTicketId, isTicketId, timeOfTicketId } from "../src/ticket-id.ts";

const timeMsMax = 8_640_000_000_000_000;

test("an id is the Crockford base32 of its milliseconds, padded to 13 characters", () => {
  const rows: readonly [string, number][] = [
    ["0000000000000", 0],
    ["000000000000Z", 31],
    ["0000000000010", 32],
    ["00001KT6Q08R8", Date.parse("2026-06-03T12:23:17.000Z")],
    ["00001KT6Q08R9", Date.parse("2026-06-03T12:23:17.001Z")],
    ["007NJ131DR000", timeMsMax],
  ];
  for (const [id, ms] of rows) assert.deepEqual([encodeTicketId(ms), timeOfTicketId(id)], [id, ms]);
});

test("a time that no Date can hold is none", () => {
  for (const ms of [-1, 0.5, timeMsMax + 1, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => encodeTicketId(ms), RangeError);
  }
});

test("what is no id is told from one", () => {
  const others = [
    "",
    "00001KT6Q08R",
    "00001KT6Q08R90",
    "00001kt6q08r9",
    "00001KT6Q08RI",
    "00001KT6Q08RL",
    "00001KT6Q08RO",
    "00001KT6Q08RU",
    "00001KT6Q08R9\n",
    "../001KT6Q08R",
    "007NJ131DR001",
    "ZZZZZZZZZZZZZ",
  ];
  for (const text of others) {
    assert.equal(isTicketId(text), false, text);
    assert.throws(() => timeOfTicketId(text), RangeError);
  }
  assert.equal(isTicketId("00001KT6Q08R9"), true);
});

test("ids come back as their times and sort as they do", () => {
  const time = fc.integer({ min: 0, max: timeMsMax });
  fc.assert(
    fc.property(time, time, (a, b) => {
      assert.equal(timeOfTicketId(encodeTicketId(a)), a);
      assert.equal(encodeTicketId(a) < encodeTicketId(b), a < b);
    }),
    { seed: 32, numRuns: 300 },
  );
});
