/** What a snapshot says of alerts, and that a server which never came to be hears nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { noCost, noUsage } from "@yoi/base";
import type { RunEnded } from "@yoi/protocol";
import type { Alert } from "../../src/alert/alerts.ts";
import { alertsMax } from "../../src/alert/alerts.ts";
import { Hub } from "../../src/serve/hub.ts";
import { servePod } from "../../src/serve/pod-server.ts";
import type { ServedPod } from "../../src/serve/served-pod.ts";
import { memoryHost } from "@yoi/host";
import { eventfulPod } from "./eventful-pod.ts";
import { everybody } from "./support.ts";

const alertOf = (at: number): Alert => ({ level: "warn", source: "host", message: `alert ${at}`, at });

/** A Pod that raised `before` alerts until it was served, and a way to raise more. */
function alerting(before: number) {
  const watchers = new Set<Parameters<ServedPod["watch"]>[0]>();
  const { pod } = eventfulPod();
  const served = Object.create(pod, {
    alerts: { value: Array.from({ length: before }, (_, at) => alertOf(at)) },
    watch: {
      value: (watcher: Parameters<ServedPod["watch"]>[0]) => {
        watchers.add(watcher);
        return () => watchers.delete(watcher);
      },
    },
  }) as ServedPod;
  const raise = (at: number) => {
    for (const watcher of watchers) watcher.event({ type: "alert", alert: alertOf(at) });
  };
  return { served, watchers, raise };
}

test("a snapshot has the alerts from before the Pod was served, numbered like events, and the last 512 of all", () => {
  const { served, raise } = alerting(2);
  const hub = new Hub(served, (said) => said);
  const kept = () => hub.view.alerts.map(({ n, message }) => [n, message]);
  assert.deepEqual(kept(), [
    [1, "alert 0"],
    [2, "alert 1"],
  ]);
  for (let at = 2; at < alertsMax; at += 1) raise(at);
  assert.deepEqual([kept().length, kept()[0]], [alertsMax, [1, "alert 0"]]);
  raise(alertsMax);
  assert.deepEqual(
    [kept().length, kept()[0], kept().at(-1)],
    [alertsMax, [2, "alert 1"], [alertsMax + 1, `alert ${alertsMax}`]],
  );
});

test("the last run of a snapshot is the last one that was on record", () => {
  const { pod } = eventfulPod();
  const hub = new Hub(pod, (said) => said);
  const ended = (run: string | null): RunEnded => ({
    run,
    end: { kind: "cancelled" },
    followed: [],
    turns: 0,
    usage: noUsage,
    cost: noCost,
    denials: [],
    permission_needed: false,
  });
  hub.say({ type: "run_ended", run: ended("7") });
  hub.say({ type: "run_ended", run: ended(null) });
  assert.deepEqual(hub.view.last_run, ended("7"));
});

test("a server that could not listen hears nothing of its Pod any more", async () => {
  const { served, watchers } = alerting(0);
  const { timers } = memoryHost({ seed: 1 });
  const options = {
    listen: async () => Promise.reject(new Error("address in use")),
    authorize: everybody,
    timers,
    redact: (said: string) => said,
    shutdown: () => {},
  };
  await assert.rejects(servePod(served, options), /address in use/);
  assert.equal(watchers.size, 0);
});
