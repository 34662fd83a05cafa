/** What a run says that no room was made for, when its provider's refusal is a sentence of its own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunOutcome } from "@yoi/worker";
import { thrashCompactionsMax } from "../../src/compact/thrash.ts";
import { RoomOfRun } from "../../src/drive/make-room.ts";

const failure = { kind: "context_overflow", message: "Too long.", retryable: false } as const;
const outcome: RunOutcome = {
  kind: "yielded",
  reason: failure.message,
  by: { kind: "provider", failure },
};

function saidBehind(times: number, why: string | null): string {
  const room = new RoomOfRun({
    isAutomatic: true,
    isWorthIt: true,
    run: () => assert.fail("nothing is compacted here"),
  });
  const state = { turnCount: 2, compactionsInRow: { turnCount: 1, times }, items: [] };
  assert.equal(room.wishFor(outcome, state) === null, times === thrashCompactionsMax);
  const last = room.without(outcome, why);
  assert.ok(last.kind === "failed" && last.failure.kind === "context_full");
  return last.failure.message;
}

test("a refusal and a reason with full stops of their own are parts of one sentence", () => {
  assert.match(
    saidBehind(thrashCompactionsMax, null),
    /^What this run works with .* nothing was sent: Too long; it was compacted 3 times in a row/,
  );
  assert.match(
    saidBehind(thrashCompactionsMax - 1, "It came to nothing."),
    /nothing more was sent: Too long; It came to nothing\. Go back/,
  );
});
