/** A request whose answer arrives is not one of unknown cost; one that nobody counted is, as soon as nobody can any more. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunState } from "@yoi/session-store";
import { withoutArriving } from "../../src/usage/arriving.ts";

const running: RunState = { state: "running", since: 1 };
const idle: RunState = { state: "idle" };
const cases: readonly (readonly [string, RunState, boolean, boolean, number])[] = [
  ["its answer arrives", running, true, true, 1],
  ["it is counted", running, false, true, 2],
  ["its run has ended", idle, true, true, 2],
  ["its process has ended", running, true, false, 2],
];

for (const [what, run, isUncounted, isOwned, left] of cases)
  test(`unknown costs where ${what}: ${left}`, () => {
    const used = { nano_usd: 5, unpriced_requests: 2 };
    const shown = withoutArriving(used, { run, isUncounted }, isOwned);
    assert.deepEqual(shown, { nano_usd: 5, unpriced_requests: left });
  });
