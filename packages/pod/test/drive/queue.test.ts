/** Inputs that wait for their time: when each is given to the model, and what holds them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import { openParts, type PartsOptions, spoken } from "../../../../test/inbox/parts.ts";

const steps = (...all: readonly object[]): string => JSON.stringify({ steps: all });

function machine(scenario: string, more: Partial<PartsOptions> = {}) {
  const options: PartsOptions = {
    host: memoryHost({ seed: 2 }),
    leases: new Map(),
    scenario,
    beginsOwnRuns: true,
    ...more,
  };
  return { ...options, options };
}

test("behind a run that finished each of the queue is the next input, in order, without anybody doing anything", async () => {
  const m = machine(steps({ text: "One.", delay_ms: 100 }, { text: "Two." }, { text: "Three." }));
  const parts = await openParts(m.options);
  const running = parts.submit("first");
  await m.host.advance(50);
  await parts.queue("second", "run_end");
  await parts.queue("third", "boundary");
  await m.host.advance(1_000);
  assert.equal((await running).outcome.kind, "finished");
  assert.deepEqual(spoken(parts.gate.state), [
    "user: first",
    "model: One.",
    "user: second",
    "user: third",
    "model: Two.",
  ]);
  assert.deepEqual([parts.gate.state.queue, parts.drive.state], [[], "idle"]);
  await parts.close();
});
