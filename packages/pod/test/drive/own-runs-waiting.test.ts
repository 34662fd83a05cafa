/** Which notices begin a run of their own and which wait: quiet ones, and those behind a run that used up its turns. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryHost } from "@yoi/host";
import { openParts, type PartsOptions, spoken } from "../../../../test/inbox/parts.ts";
import type { RunReport } from "../../src/index.ts";

const steps = (...all: readonly object[]): string => JSON.stringify({ steps: all });
const said = (text: string) => ({ outcome: { kind: "finished", text }, accepted: true });

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
const endings = (reports: readonly RunReport[]) =>
  reports.map(({ outcome, accepted }) => ({ outcome, accepted }));

describe("a quiet notice", () => {
  const quiet = (message: string) => ({ source: "x", message, quiet: true });

  test("begins no run, behind none, and in no later owner; the next one that begins tells it", async () => {
    const m = machine(steps({ text: "One.", delay_ms: 100 }, { text: "I heard." }));
    const parts = await openParts(m.options);
    await parts.inbox.accept(quiet("a"));
    parts.drive.notified();
    assert.equal(parts.drive.state, "idle");
    const asked = parts.submit("go");
    // Its only request is on its way.
    await m.host.advance(50);
    await parts.inbox.accept(quiet("b"));
    await m.host.advance(1_000);
    assert.deepEqual([(await asked).turns, parts.inbox.waiting, parts.own.reports.length], [1, 1, 0]);
    await parts.close();
    const again = await openParts(m.options);
    again.drive.notified();
    assert.equal(again.drive.state, "idle");
    await again.notify("news");
    await m.host.advance(1_000);
    assert.deepEqual([again.inbox.waiting, again.own.reports.length], [0, 1]);
    assert.deepEqual(spoken(again.gate.state), [
      "user: go",
      "notification: a",
      "model: One.",
      "notification: b",
      "notification: news",
      "model: I heard.",
    ]);
    await again.close();
  });
});

describe("a run that finished with the last of its turns", () => {
  const during = async (beginsOwnRuns: boolean) => {
    const m = machine(steps({ text: "x", delay_ms: 500 }, { text: "I heard." }), { maxTurns: 1 });
    const parts = await openParts({ ...m.options, beginsOwnRuns });
    const asked = parts.submit("go");
    await m.host.advance(100);
    await parts.notify("news");
    await m.host.advance(10_000);
    const { turns, followed } = await asked;
    assert.deepEqual([turns, followed], [1, []]);
    return parts;
  };

  test("what came during it begins one of its own, with all turns", async () => {
    const parts = await during(true);
    assert.deepEqual([endings(parts.own.reports), parts.inbox.waiting], [[said("I heard.")], 0]);
    await parts.close();
  });

  test("control: where none begins by itself, the run is not prolonged", async () => {
    const parts = await during(false);
    assert.deepEqual([parts.own.reports, parts.inbox.waiting], [[], 1]);
    await parts.close();
  });
});
