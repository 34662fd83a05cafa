/** When a reminder counts as given, through the real hooks and the real loop: when it is in the log, whoever else had a say. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LogHistory } from "../../../../worker/test/support/log-history.ts";
import { beginLife, createCall, scenarioOf, type TaskLifeOptions } from "./task-life.ts";

/** The request, from 1, that shows the first reminder: the first that knows of the task is the second. */
const due = 25;
const look = { tool_calls: [{ name: "TaskGet", arguments: { taskid: 1 } }] };
const scenario = scenarioOf({ tool_calls: [createCall("a")] }, ...Array.from({ length: 60 }, () => look));

/** For each request that was asked about, whether a reminder was in the log just before it was sent, or null: it was not sent. */
async function play(options: Partial<TaskLifeOptions>, requests: number) {
  const history = new LogHistory();
  const life = await beginLife({ history, scenario, ...options });
  const outcomes = [];
  for (let run = 0; run < 4 && history.kinds("llm_request").length < requests; run += 1) {
    const { kind } = await life.run(run === 0 ? "go" : null, { maxTurns: requests });
    outcomes.push(kind);
  }
  const given: number[] = [];
  let sent = 0;
  for (const entry of history.entries) {
    if (entry.kind === "llm_request") sent += 1;
    if (entry.kind === "system_item") given.push(sent + 1);
  }
  return { given, outcomes, alerts: life.alerts.last };
}

test("control: nobody has a say, and the reminders come at the 25th and the 49th request", async () => {
  const { given, alerts } = await play({}, 50);
  assert.deepEqual([given, alerts], [[due, due + 24], []]);
});

for (const action of ["cancel", "yield"] as const) {
  test(`a reminder that a later hook's ${action} dropped is given with the next request, and counts from there`, async () => {
    let asked = 0;
    const { given, outcomes } = await play(
      {
        laterHook: () => {
          asked += 1;
          return asked === due ? { action, reason: "not now" } : { action: "continue" };
        },
      },
      50,
    );
    assert.equal(outcomes[0], action === "cancel" ? "aborted" : "yielded");
    // The request that was not made was the 25th that was asked about; the 25th that was sent has the reminder.
    assert.deepEqual(given, [due, due + 24]);
  });
}

test("a reminder that made the context too large is given: it is in the log, and the next request shows it", async () => {
  let yielded = 0;
  const { given, outcomes } = await play(
    {
      // The input, 24 calls with their results, and the reminder.
      threshold: ({ items }, phase) => {
        const isOver = phase === "effective" && items === 2 * due && yielded === 0;
        if (isOver) yielded += 1;
        return isOver ? "too large" : null;
      },
    },
    50,
  );
  assert.equal(yielded, 1, "the threshold was not reached");
  assert.equal(outcomes[0], "yielded");
  // One more pass went by without a request, so the next reminder comes one request earlier.
  assert.deepEqual(given, [due, due + 23]);
});

test("a pass that the first threshold stops is no request: it is not counted", async () => {
  let stopped = 0;
  const { given, outcomes } = await play(
    {
      threshold: ({ items }, phase) => {
        const isOver = phase === "committed" && items === 11 && stopped === 0;
        if (isOver) stopped += 1;
        return isOver ? "too large" : null;
      },
    },
    50,
  );
  assert.deepEqual([stopped, outcomes[0]], [1, "yielded"]);
  assert.deepEqual(given, [due, due + 24]);
});
