/** Durable first: in random sessions, at the moment of each request, effect and event, what it shows is on the platter. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { watchDurable } from "./durable-first.ts";
import { plainOwner } from "./life.ts";
import { plantedBug } from "./planted.ts";
import { anySession } from "./session.ts";

const seed = 20_261_121;
const runs = 60;

test(`everything that leaves the machine is durable before it does (${runs} sessions, seed ${seed})`, async () => {
  const total = { requests: 0, effects: 0, told: 0 };
  const property = fc.asyncProperty(anySession, fc.nat(1_000_000), async (session, diskSeed) => {
    const looked = await watchDurable(session, diskSeed);
    total.requests += looked.requests;
    total.effects += looked.effects;
    total.told += looked.told;
  });
  await fc.assert(property, { seed, numRuns: runs });
  assert.ok(
    total.requests > 3 * runs && total.effects > runs && total.told > 10 * runs,
    JSON.stringify(total),
  );
});

const controls = [
  ["a request is sent before its record is durable", /a request is sent before its record is durable/],
  ["the model is shown an item that is not appended", /is in a request before it is durable/],
  ["a batch is acknowledged before its sync", /durable|not in the log/],
  ["the log's fsync is dropped", /durable|not in the log/],
] as const;

for (const [name, found] of controls) {
  test(`control: it is seen that ${name}`, async () => {
    const { owner, lies } = plantedBug(name);
    const property = fc.asyncProperty(anySession, async (session) => {
      await watchDurable(session, 1, { ...plainOwner, ...owner }, lies);
    });
    const result = await fc.check(property, { seed, numRuns: 5, endOnFailure: true });
    assert.ok(result.failed, "nothing was seen");
    assert.match(String(result.errorInstance), found);
  });
}
