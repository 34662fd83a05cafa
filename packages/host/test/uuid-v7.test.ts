/** Ids are valid UUID v7 and strictly increasing, whatever the clock does. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { isUuidV7 } from "@yoi/base";
import { nodeHost } from "../src/index.ts";
import { seededRandom } from "../src/memory/seeded-random.ts";
import { createIds } from "../src/uuid-v7.ts";

function assertIncreasing(ids: readonly string[]): void {
  ids.forEach((id, index) => {
    assert.ok(isUuidV7(id), id);
    assert.ok(index === 0 || id > (ids[index - 1] ?? ""), `${ids[index - 1]} then ${id}`);
  });
}

describe("uuid v7", () => {
  test("50,000 in a row on this machine", () => {
    const { ids } = nodeHost();
    assertIncreasing(Array.from({ length: 50_000 }, () => ids.uuidV7()));
  });

  test("within one millisecond, past the counter's end", () => {
    const ids = createIds({ now: () => 1_700_000_000_000, monotonic: () => 0 }, seededRandom(1).bytes);
    const made = Array.from({ length: 10_000 }, () => ids.uuidV7());
    assertIncreasing(made);
    assert.equal(made[0]?.slice(0, 13), "018bcfe5-6800");
  });

  test("with a clock that jumps anywhere", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1e6, max: 2 ** 47, noNaN: true }), { maxLength: 50 }),
        (times) => {
          let now = 0;
          const ids = createIds({ now: () => now, monotonic: () => 0 }, seededRandom(2).bytes);
          assertIncreasing(
            times.map((time) => {
              now = time;
              return ids.uuidV7();
            }),
          );
        },
      ),
      { seed: 7, numRuns: 200 },
    );
  });
});
