/** The Task feature through a whole Pod: the reminder is on record before the request that shows it, and is counted with it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Entry, isKnown, type LlmRequest, type LogEntry } from "@yoi/base";
import { Machine } from "./life.ts";
import { reminder, remindedRequest, reminders, transcript } from "./scene.ts";

const golden = readFileSync(new URL("golden/transcript.txt", import.meta.url), "utf8");

async function played(committed?: (entries: readonly Entry[]) => void): Promise<Machine> {
  const machine = new Machine();
  const pod = await machine.open(committed);
  await machine.run(pod, "Go.");
  await machine.run(pod, "Go on.");
  await machine.close(pod);
  return machine;
}

function requestsOf(log: readonly LogEntry[]): readonly (LlmRequest & { readonly seq: number })[] {
  return log.filter(isKnown).filter((entry) => entry.kind === "llm_request");
}

test("A0-42, F-22: the log of a session with a reminder is the golden transcript", async () => {
  const machine = await played();
  assert.equal(transcript(await machine.log()), golden);
});

// What a request showed is its `items`, and the provider's count of it is measured against as many: the reminder among them.
test("A0-21, A0-42, F-22: the reminder, with its source and reason, is in the log before the request that shows it, and that request's recorded length counts it", async () => {
  const kinds: string[] = [];
  const machine = await played((batch) => kinds.push(batch.map(({ kind }) => kind).join("+")));
  const log = await machine.log();
  const requests = requestsOf(log);
  const [given = assert.fail("no reminder"), ...more] = reminders(log);
  assert.deepEqual(more, []);
  const index = remindedRequest - 1;
  const [before, showing] = [requests[index - 1], requests[index]];
  assert.ok(before !== undefined && showing !== undefined);
  assert.ok(before.seq < given.seq && given.seq < showing.seq);
  assert.equal(showing.through, given.seq);
  // A call and its result since the request before it, and the reminder.
  assert.equal(showing.items, before.items + 3);
  const shown = machine.shown[index] ?? assert.fail();
  assert.equal(shown.length, showing.items);
  const last = shown.at(-1);
  assert.deepEqual(
    [last?.seq, last?.item],
    [
      given.seq,
      {
        type: "system_item",
        kind: "task_reminder",
        source: "builtin:task",
        reason: "task_inactivity",
        body: reminder,
      },
    ],
  );
  assert.deepEqual(
    machine.shown.map((items) => items.some(({ seq }) => seq === given.seq)),
    machine.shown.map((_, request) => request >= index),
  );
  // Durable by itself, in the batch before the request's own.
  const at = kinds.indexOf("system_item");
  assert.equal(kinds[at + 1], "llm_request");
});

test("A0-42, F-22: usage is accounted to the request with the reminder in it", async () => {
  const machine = await played();
  const log = await machine.log();
  const requests = requestsOf(log);
  const usages = log.filter(isKnown).filter((entry) => entry.kind === "llm_usage");
  assert.deepEqual(
    usages.map(({ request }) => request),
    requests.map(({ seq }) => seq),
  );
  const input = (index: number) => usages[index]?.usage.input_tokens ?? assert.fail();
  const growth = (index: number) => input(index) - input(index - 1);
  const reminded = remindedRequest - 1;
  // A quiet step adds a call and a result of always the same text; this one adds the reminder too.
  const quiet = Math.max(...Array.from({ length: 20 }, (_, step) => growth(reminded - 1 - step)));
  assert.ok(growth(reminded) > 1.5 * quiet, `${growth(reminded)} tokens, and ${quiet} without a reminder`);
});
