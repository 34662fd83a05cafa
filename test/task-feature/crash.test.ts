/** The machine stops around a reminder, at every operation of its disk: what was told is told once, and the tasks go on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Entry, isKnown, type LogEntry } from "@yoi/base";
import { crashAt, HostCrashed } from "@yoi/host";
import { Machine } from "./life.ts";
import { remindedRequest, reminders } from "./scene.ts";

interface Window {
  /** Operations of the disk before the result in front of the reminder was committed, and when the request behind it was. */
  readonly from: number;
  readonly to: number;
}

/** Of a run without a crash: the same operations come in every other one. */
async function windowOfReminder(): Promise<Window> {
  const machine = new Machine();
  let requests = 0;
  let from = 0;
  let to = 0;
  const pod = await machine.open((batch: readonly Entry[]) => {
    for (const { kind } of batch) {
      if (kind === "llm_request" && (requests += 1) === remindedRequest) to = machine.host.disk.operations;
      if (kind === "llm_usage" && requests === remindedRequest - 1) from = machine.host.disk.operations;
    }
  });
  await machine.run(pod, "Go.");
  await machine.close(pod);
  return { from, to };
}

/** Runs until the crash, then to the session's end in another process. */
async function crashed(at: number, loss: "power" | "process") {
  const machine = new Machine();
  machine.host.disk.plan = crashAt(at);
  const first = await machine.open();
  await assert.rejects(machine.run(first, "Go."), HostCrashed);
  await machine.host.advance(0);
  machine.restart(loss);
  const left = await machine.log();
  const second = await machine.open();
  assert.deepEqual(second.alerts, []);
  await machine.run(second, null);
  await machine.run(second, "Go on.");
  await machine.close(second);
  return { machine, left, log: await machine.log() };
}

function summaries(log: readonly LogEntry[]): readonly string[] {
  return log
    .filter(isKnown)
    .filter((entry) => entry.kind === "tool_result")
    .map(({ item: { summary } }) => summary.split("\n")[0] ?? "")
    .filter((line) => /^(created|updated)/.test(line));
}

test("A0-42, A2-59: a crash at any operation around the reminder leaves it told once or not yet, the tasks there and the ids going on", async () => {
  const { from, to } = await windowOfReminder();
  assert.ok(to - from >= 8, `only ${to - from} operations around the reminder`);
  const told = new Set<string>();
  for (let at = from + 1; at <= to; at += 1) {
    for (const loss of ["power", "process"] as const) {
      const { machine, left, log } = await crashed(at, loss);
      const place = `crash at operation ${at} of ${from} to ${to}, ${loss} lost`;
      assert.deepEqual(
        summaries(log),
        ["created task 1", "created task 2", "created task 3", "updated task 3", "created task 4"].map(
          (start, index) => `${start} (${index === 3 ? "completed" : "pending"})`,
        ),
        place,
      );
      // Told before the crash, it is told; else the count begins anew, and the session is over before it comes to a reminder.
      const given = reminders(log);
      assert.deepEqual(given, reminders(left), place);
      assert.ok(given.length <= 1, place);
      const [one] = given;
      for (const items of machine.shown) {
        const shown = items.filter(
          ({ item }) => item.type === "system_item" && item.kind === "task_reminder",
        );
        assert.deepEqual(
          shown.map(({ seq }) => seq),
          one === undefined || (items.at(-1)?.seq ?? 0) < one.seq ? [] : [one.seq],
          place,
        );
      }
      told.add(`${given.length}, ${machine.shown.length} requests`);
    }
  }
  // Both happened: lost before it was on record, and on record without a request that showed it.
  assert.ok(
    [...told].some((one) => one.startsWith("0")) && [...told].some((one) => one.startsWith("1")),
    [...told].join(),
  );
});
