/** Alerts: the last ones are kept, bounded and frozen, and none of them is history. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import { logOf, openParts } from "../../../../test/inbox/parts.ts";
import { type Alert, alertBytesMax, Alerts, alertsMax } from "../../src/alert/alerts.ts";

function alerts() {
  const told: Alert[] = [];
  let now = 0;
  const all = new Alerts({ clock: { now: () => (now += 1) }, told: (alert) => void told.push(alert) });
  return { all, told };
}

test(`the last ${alertsMax} are kept, oldest first; each is told once, the dropped ones too`, () => {
  const { all, told } = alerts();
  const raise = (count: number) => {
    for (let n = 0; n < count; n += 1) all.raise("warn", "host", `alert ${told.length}`);
  };
  raise(alertsMax);
  assert.deepEqual(all.last, told);
  raise(1);
  assert.equal(all.last.length, alertsMax);
  assert.deepEqual(all.last, told.slice(1));
  raise(alertsMax);
  assert.deepEqual(all.last, told.slice(-alertsMax));
  assert.equal(told.length, 2 * alertsMax + 1);
});

test("an alert says who raised it and when, and cannot be changed by whoever reads it", () => {
  const { all, told } = alerts();
  all.raise("error", "project:ci", "It broke.");
  const [alert] = all.last;
  assert.deepEqual(alert, { level: "error", source: "project:ci", message: "It broke.", at: 1 });
  assert.ok(Object.isFrozen(alert) && told[0] === alert);
  const { last } = all;
  Reflect.apply(Array.prototype.pop, last, []);
  assert.equal(all.last.length, 1);
});

test(`a message has at most ${alertBytesMax} bytes, cut where a character ends`, () => {
  const { all } = alerts();
  const whole = "é".repeat(alertBytesMax / 2);
  for (const [message, kept] of [
    [whole, whole],
    [`${whole}x`, whole],
    [`x${whole}`, `x${whole.slice(1)}`],
  ] as const) {
    all.raise("warn", "host", message);
    assert.equal(all.last.at(-1)?.message, kept);
  }
});

test("A2-18: an alert is for people: history, the log and what the model is sent stay as they are", async () => {
  const run = async (raises: boolean) => {
    const host = memoryHost({ seed: 3 });
    const { all } = alerts();
    const scenario = JSON.stringify({ steps: [{ text: "One answer, in pieces.", pace_ms: 50 }] });
    const parts = await openParts({
      host,
      scenario,
      observer: () => {
        if (raises) all.raise("error", "project:ci", "Something for a person.");
      },
    });
    const running = parts.submit("go");
    await host.advance(5_000);
    await running;
    const { items, inbox } = parts.gate.state;
    await parts.close();
    const log = (await logOf(host)).bytes.toString();
    return { raised: all.last.length, seen: { items: [...items], inbox, requests: parts.requests, log } };
  };
  const [silent, loud] = [await run(false), await run(true)];
  assert.ok(loud.raised > 2 && silent.raised === 0, "control: alerts were raised during the run");
  assert.deepEqual(loud.seen, silent.seen);
});
