/** How often a Pod looks for news, and that a look leaves nothing behind: it goes on for as long as the Pod is open. */
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { FollowTask, lookWaitMsMax, quietLooksMax } from "../../src/tickets/follow-task.ts";
import { FollowedTickets } from "../../src/tickets/followed-tickets.ts";

const ticket = "00001KT6Q08R9";

/** What it waits between looks, until it has waited so often; the looks of `loud` bring something that is told. */
async function watched(waits: number, loud: (look: number) => boolean = () => false) {
  const stop = new AbortController();
  const waited: number[] = [];
  const listeners = new Set<number>();
  const told: string[] = [];
  let looks = 0;
  const count = () => listeners.add(getEventListeners(stop.signal, "abort").length);
  const task = new FollowTask({
    tickets: async (_method, given) => {
      count();
      if (given["cursor"] === null) return { cursor: { known: {}, since_ms: 0 } };
      looks += 1;
      const one = { ticket, title: "T", state: "ready", mark: `m${looks}`, event: null };
      return { news: loud(looks) ? [one] : [], unreadable: [], more: false };
    },
    followed: new FollowedTickets(),
    notifications: {
      position: () => null,
      keepPosition: async () => {},
      notifyModel: async (message) => {
        count();
        told.push(message);
      },
    },
    diagnostics: { info: assert.fail, warning: assert.fail, error: assert.fail },
    all: true,
    wait: async (ms) => {
      count();
      waited.push(ms);
      if (waited.length === waits) stop.abort();
    },
  });
  await task.run(stop.signal);
  return { waited, listeners: [...listeners].toSorted((a, b) => a - b), told: told.length };
}

test(`looks follow each other by a second, and behind ${quietLooksMax} that brought nothing by up to ${lookWaitMsMax} ms`, async () => {
  const { waited } = await watched(quietLooksMax + 5);
  assert.deepEqual(waited, [
    ...Array.from({ length: quietLooksMax }, () => 1_000),
    2_000,
    4_000,
    lookWaitMsMax,
    lookWaitMsMax,
    lookWaitMsMax,
  ]);
});

test("news begin the minute anew", async () => {
  const { waited, told } = await watched(quietLooksMax + 5, (look) => look === quietLooksMax + 3);
  assert.equal(told, 1);
  assert.deepEqual(waited.slice(-5), [2_000, 4_000, 1_000, 1_000, 1_000]);
});

test("a hundred looks and what they tell leave nothing with the signal, and hold one listener at a time", async () => {
  const { listeners, told } = await watched(100, (look) => look % 2 === 0);
  assert.equal(told, 99);
  assert.deepEqual(listeners, [0, 1]);
});
