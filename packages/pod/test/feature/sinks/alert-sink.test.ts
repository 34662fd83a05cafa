/** Alerts of a feature: for people only, at most so many a minute, and none before it is installed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { featureId } from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import { type Alert, Alerts } from "../../../src/alert/alerts.ts";
import { alertsPerMinuteMax, FeatureAlerts } from "../../../src/feature/sinks/alert-sink.ts";
import { FeatureDiagnostics } from "../../../src/feature/sinks/feature-diagnostics.ts";

const feature = featureId("user:a");
const minuteMs = 60_000;

function alerting(options: { installed?: boolean } = {}) {
  const host = memoryHost({ seed: 1 });
  const told: Alert[] = [];
  const redact = (text: string) => text.replaceAll("hunter2", "[redacted: pin]");
  const diagnostics = new FeatureDiagnostics({ redact });
  const alerts = new Alerts({ clock: host.clock, told: (alert) => told.push(alert) });
  const sink = new FeatureAlerts({ feature, alerts, diagnostics, clock: host.clock, redact });
  if (options.installed ?? true) sink.open();
  return { host, told, diagnostics, of: sink, sink: sink.sink };
}

test("A2-18: an alert of a feature goes to people, with its name, and nowhere else", () => {
  const { host, told, sink, diagnostics } = alerting();
  sink.alert("warn", "the index is old");
  sink.alert("error", "the index is gone");
  const at = host.clock.now();
  assert.deepEqual(told, [
    { level: "warn", source: "user:a", message: "the index is old", at },
    { level: "error", source: "user:a", message: "the index is gone", at },
  ]);
  assert.deepEqual(diagnostics.all, []);
  assert.deepEqual(Reflect.ownKeys(sink), ["alert"]);
  assert.ok(Object.isFrozen(sink));
});

test("A2-50, F-09: an alert is short, on one line, and without a known secret", () => {
  const { told, sink } = alerting();
  sink.alert("warn", `the pin hunter2\n${"x".repeat(10_000)}`);
  sink.alert("loud" as "warn", "of a level that there is not");
  const text = `the pin [redacted: pin]\\u000a${"x".repeat(10_000)}`;
  assert.deepEqual(
    told.map(({ level, message }) => [level, message]),
    [
      ["warn", `${text.slice(0, 511)}…`],
      ["warn", "of a level that there is not"],
    ],
  );
});

test("A2-50, F-09: 16 alerts a minute are raised, the next one says that more are left out, and how many is said when it is quieter", async () => {
  const { host, told, sink, diagnostics } = alerting();
  for (let n = 1; n <= alertsPerMinuteMax; n += 1) sink.alert("warn", `${n}`);
  assert.equal(told.length, alertsPerMinuteMax);
  for (let n = 1; n <= 1000; n += 1) sink.alert("error", "more");
  assert.deepEqual(
    told.slice(alertsPerMinuteMax).map(({ level, message }) => [level, message]),
    [["warn", "This feature raised more than 16 alerts in a minute: more of them are left out for now."]],
  );
  assert.deepEqual(diagnostics.all, []);

  await host.advance(minuteMs - 1);
  sink.alert("error", "too early");
  assert.equal(told.length, alertsPerMinuteMax + 1);
  await host.advance(1);
  sink.alert("error", "again");
  assert.equal(told.at(-1)?.message, "again");
  assert.deepEqual(diagnostics.all, [
    { severity: "info", message: "1001 alerts were left out: a feature may raise 16 in a minute." },
  ]);
  for (let n = 2; n <= alertsPerMinuteMax; n += 1) sink.alert("warn", `${n}`);
  sink.alert("warn", "and more");
  assert.equal(told.length, 2 * (alertsPerMinuteMax + 1), "a second burst is said too");
});

test("what is alerted during the installation is in the report, and raised after it", () => {
  const { told, of, sink, diagnostics } = alerting({ installed: false });
  sink.alert("error", "no index");
  for (let n = 0; n < 100; n += 1) sink.alert("warn", "more");
  assert.deepEqual(told, []);
  assert.equal(diagnostics.all.length, alertsPerMinuteMax);
  assert.deepEqual(diagnostics.all[0], {
    severity: "info",
    message: "An alert was given during the installation, and waits for its end: no index",
  });
  of.open();
  assert.deepEqual(
    told.map(({ level, message }) => `${level} ${message}`),
    [
      "error no index",
      ...Array.from({ length: alertsPerMinuteMax - 1 }, () => "warn more"),
      "warn This feature raised more than 16 alerts in a minute: more of them are left out for now.",
    ],
  );
});

test("what is alerted by a feature that was not installed is in the report only", () => {
  const { told, sink, diagnostics } = alerting({ installed: false });
  sink.alert("error", "no index");
  assert.deepEqual([told.length, diagnostics.all.length], [0, 1]);
});

test("what waits for the end of an installation is bounded, however long that takes", async () => {
  const { host, told, of, sink } = alerting({ installed: false });
  for (let n = 0; n < 10; n += 1) {
    for (let each = 0; each < alertsPerMinuteMax; each += 1) sink.alert("warn", "more");
    await host.advance(minuteMs);
  }
  of.open();
  assert.equal(told.length, alertsPerMinuteMax + 1);
});
