/** Looking again: while it is needed, one look at a time, and none behind the end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import { LookAgain, lookAgainMs } from "../../src/spawn/look-again.ts";

test(`a look every ${lookAgainMs} ms from the end of the one before, while it is needed`, async () => {
  const host = memoryHost({ seed: 1 });
  const needs = { isNeeded: false };
  const looks: number[] = [];
  const slowMs = 10_000;
  const again = new LookAgain({
    timers: host.timers,
    isNeeded: () => needs.isNeeded,
    look: async () => {
      looks.push(host.clock.monotonic());
      if (looks.length === 2) await host.timers.sleep(slowMs);
    },
  });
  const start = host.clock.monotonic();
  again.wake();
  await host.advance(2 * lookAgainMs);
  assert.deepEqual(looks, []);
  needs.isNeeded = true;
  again.wake();
  again.wake();
  await host.advance(lookAgainMs - 1);
  assert.deepEqual(looks, []);
  await host.advance(1);
  assert.deepEqual(looks, [start + 3 * lookAgainMs]);
  await host.advance(lookAgainMs);
  again.wake();
  await host.advance(slowMs);
  assert.equal(looks.length, 2, "none begins beside one that goes on");
  await host.advance(lookAgainMs);
  assert.deepEqual(looks[2], start + 5 * lookAgainMs + slowMs);
  needs.isNeeded = false;
  await host.advance(10 * lookAgainMs);
  // One that was to come already, and none behind it.
  assert.equal(looks.length, 4);
  needs.isNeeded = true;
  again.wake();
  again.close();
  again.wake();
  await host.advance(10 * lookAgainMs);
  assert.equal(looks.length, 4);
});
